import type { Project } from './project.ts';
import type { Block } from './read-blocks.ts';

const DATA = new Set(['json', 'md', 'yaml', 'ts', 'js', 'csv']);

/**
 * Does what a reader does with each block, from the first to the last: `file=NAME` is written, `ts run` is run by Node,
 * `sh` is typed in, and `text` is what the block before it must have printed (`...` stands for anything).
 */
export async function runDocument(blocks: readonly Block[], project: Project): Promise<void> {
  let printed: string | undefined;
  for (const block of blocks) {
    const { language, options, text, line } = block;
    const file = options.get('file');
    if (language === 'text') {
      if (printed === undefined) throw new Error(`line ${line}: nothing was run before this output`);
      if (!matches(printed, text)) throw new Error(`line ${line}: this was printed instead:\n${printed}`);
      continue;
    }
    if (file !== undefined) await project.write(file, text);
    if (language === 'sh' || language === '') printed = await typeIn(block, project);
    else if (options.has('run')) printed = await run(`node ${file}`, block, project);
    else if (file === undefined)
      throw new Error(`line ${line}: a block of ${language} that nothing is done with`);
    else if (!DATA.has(language)) throw new Error(`line ${line}: what is a block of "${language}"?`);
  }
}

async function typeIn(block: Block, project: Project): Promise<string> {
  const lines = block.text.replaceAll('\\\n', ' ').split('\n');
  let printed = '';
  for (const raw of lines) {
    const line = raw.replace(/^\$ /, '').trim();
    if (line !== '' && !line.startsWith('#')) printed += await run(line, block, project);
  }
  return printed;
}

/** `exit=N` says that it fails, and how. */
async function run(line: string, block: Block, project: Project): Promise<string> {
  const expected = Number(block.options.get('exit') ?? 0);
  const { code, output } = await project.shell(line);
  if (code !== expected)
    throw new Error(`line ${block.line}: "${line}" ended with ${code}, not ${expected}:\n${output}`);
  return output;
}

function matches(printed: string, expected: string): boolean {
  const parts = expected
    .trim()
    .split('...')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*')}$`).test(printed.trim());
}
