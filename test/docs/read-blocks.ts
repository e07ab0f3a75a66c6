/** One fenced block of a document. */
export interface Block {
  readonly language: string;
  /** Words behind the language: `file=agent.ts`, `run`. */
  readonly options: ReadonlyMap<string, string>;
  readonly text: string;
  /** 1-based line of the fence. */
  readonly line: number;
}

const FENCE = /^( *)```([\w-]*) *(.*)$/;

/** The fenced blocks of a Markdown text, in order. */
export function readBlocks(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { indent: string; language: string; info: string; lines: string[]; line: number } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const fence = FENCE.exec(text);
    if (fence === null) {
      open?.lines.push(text.startsWith(open.indent) ? text.slice(open.indent.length) : text);
      continue;
    }
    if (open === undefined) {
      const [, indent = '', language = '', info = ''] = fence;
      open = { indent, language, info, lines: [], line: index + 1 };
      continue;
    }
    const { language, info, lines, line } = open;
    blocks.push({ language, options: readOptions(info), text: `${lines.join('\n')}\n`, line });
    open = undefined;
  }
  return blocks;
}

function readOptions(info: string): ReadonlyMap<string, string> {
  return new Map(
    info
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => {
        const [name = '', value = ''] = word.split('=', 2);
        return [name, value];
      }),
  );
}
