import { createHost, type Host } from '../host.ts';
import { type ChatOptions, chat } from './chat.ts';
import { say } from './output.ts';

/** `glovebox chat`: the host behind it, and its end. */
export async function startChat({
  config,
  ...options
}: ChatOptions & { readonly config?: string }): Promise<number> {
  let host: Host | undefined;
  try {
    const streams = { input: process.stdin, output: process.stdout, error: process.stderr, env: process.env };
    const open = async (ask: Parameters<Parameters<typeof chat>[0]>[0]) => {
      host = await createHost({
        ...(config === undefined ? {} : { config }),
        onApproval: ask,
        onProblem: ({ message }) => say(message),
        onLog: (tool, level, line) => say(`${tool} ${level}: ${line}`),
      });
      await host.ready;
      return host;
    };
    return await chat(open, options, streams);
  } finally {
    await host?.close();
  }
}
