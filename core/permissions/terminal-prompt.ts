import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import type { ApprovalAnswer, ApprovalRequest, AskForApproval } from './approval.ts';
import { type Locale, printable } from './describe.ts';

export interface TerminalPromptOptions {
  readonly input: Readable;
  /** Not stdout where that carries results or a protocol. */
  readonly output: Writable;
  /** @defaultValue 'en' */
  readonly locale?: Locale;
}

interface Words {
  readonly wants: (name: string) => string;
  readonly question: string;
  readonly questionInSession: string;
  readonly over: string;
}

const WORDS: Readonly<Record<Locale, Words>> = {
  en: {
    wants: (name) => `${name} asks to run with`,
    question: 'Allow it? [y]es, [N]o: ',
    questionInSession: 'Allow it? [y]es, [a]lways in this session, [N]o: ',
    over: '(no longer needed)',
  },
  zh: {
    wants: (name) => `${name} 请求运行，参数为`,
    question: '允许吗？[y] 是，[N] 否：',
    questionInSession: '允许吗？[y] 是，[a] 本会话内一直允许，[N] 否：',
    over: '（已不需要回答）',
  },
};

const LONGEST_ARGUMENTS = 2_000;

/** Asks on a terminal, one question at a time. Whatever is not a clear yes is a no; so is the end of the input. */
export function createTerminalPrompt(options: TerminalPromptOptions): AskForApproval {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const turn = last.then(() => askOnce(request, options));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function askOnce(request: ApprovalRequest, options: TerminalPromptOptions): Promise<ApprovalAnswer> {
  const { input, output, locale = 'en' } = options;
  const words = WORDS[locale];
  if (request.signal.aborted) return false;
  const terminal = createInterface({ input, output, terminal: false });
  const closed = new Promise<string>((answer) => terminal.once('close', () => answer('')));
  try {
    // Arguments come from a model that a stranger may have talked to: nothing in them may steer the terminal.
    const shown = printable(
      JSON.stringify(request.arguments, undefined, 1).replace(/\n */g, ' '),
      LONGEST_ARGUMENTS,
    );
    output.write(`${words.wants(printable(request.tool.manifest.name))}\n  ${shown}\n`);
    const question = request.session === undefined ? words.question : words.questionInSession;
    const reply = await Promise.race([terminal.question(question, { signal: request.signal }), closed]);
    const said = reply.trim().toLowerCase();
    if (request.session !== undefined && (said === 'a' || said === 'always')) {
      return { approved: true, remember: 'session' };
    }
    return said === 'y' || said === 'yes' || said === '是';
  } catch {
    output.write(`${words.over}\n`);
    return false;
  } finally {
    terminal.close();
  }
}
