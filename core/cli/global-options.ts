import type { Command } from 'commander';
import { addExamples } from './options.ts';
import { setQuiet } from './output.ts';

const QUIET = ['-q, --quiet', 'write only answers and errors'] as const;

/** Examples of commands that bring none of their own. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  dev: ['glovebox dev', 'glovebox dev --inspect weather   # then open the address in Chrome'],
  list: [
    'glovebox list',
    'glovebox list --format openai --strict > tools.json',
    'glovebox list --json | jq -r ".[].name"',
  ],
  call: [
    'glovebox call calculator --args \'{"expression": "2 ^ 10"}\'',
    'glovebox call calculator --args @arguments.json --json',
    'echo \'{"expression": "1 + 1"}\' | glovebox call calculator -',
  ],
  chat: [
    'OPENAI_API_KEY=... glovebox chat --model gpt-5',
    'glovebox chat --allow "github.*" --deny "*.delete_*"',
  ],
  mcp: ['glovebox mcp', 'claude mcp add tools -- npx glovebox mcp'],
  serve: ['glovebox serve', 'GLOVEBOX_TOKEN=... glovebox serve --port 8080'],
};

/** What every command takes, behind its name or before it. To be called when all commands are there. */
export function addGlobalOptions(root: Command): void {
  root.option(...QUIET);
  for (const command of root.commands) {
    if (command.name().startsWith('__')) continue;
    // One that has its own meaning of it keeps it.
    if (!command.options.some(({ long, short }) => long === '--quiet' || short === '-q'))
      command.option(...QUIET);
    const lines = EXAMPLES[command.name()];
    if (lines !== undefined) addExamples(command, lines);
  }
  root.hook('preAction', (_root, command) =>
    setQuiet(command.optsWithGlobals().quiet === true || root.opts().quiet === true),
  );
}
