import { type Command, InvalidArgumentError, type Option } from 'commander';
import { ExitCode } from './exit-code.ts';
import { addExamples, runs } from './options.ts';
import { print } from './output.ts';
import { printable } from './printable.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** What the scripts below ask: the words behind `glovebox`, the last of them the one that is being written. */
const ASK = '__complete';

/** Commands whose first argument is the name of a plugin. */
const TAKES_NAME = new Set(['call', 'test', 'grant']);
/** Commands whose first argument is a folder. */
const TAKES_FOLDER = new Set(['check', 'types']);
/** Options whose value is a file. */
const TAKES_FILE = /^--(?:config|from|out|output)/;
/** Stands for "complete file names yourself". */
const FILES = ':files';
const MOST_NAMES = 2_000;

export function registerCompletion(root: Command): void {
  const command = root
    .command('completion')
    .description('print a script that completes commands, options and names of tools in your shell')
    .argument('<shell>', SHELLS.join(', '), toShell)
    .action((shell: Shell) =>
      runs(async () => {
        await print(SCRIPTS[shell]);
        return ExitCode.ok;
      }),
    );
  addExamples(command, [
    'source <(glovebox completion bash)                                      # in ~/.bashrc',
    'source <(glovebox completion zsh)                                       # in ~/.zshrc, after compinit',
    'glovebox completion fish > ~/.config/fish/completions/glovebox.fish',
  ]);
  root
    .command(ASK, { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action((words: readonly string[]) =>
      runs(async () => {
        const found = await complete(root, words);
        await print(found.map((word) => `${word}\n`).join(''));
        return ExitCode.ok;
      }),
    );
}

function toShell(text: string): Shell {
  const shell = SHELLS.find((each) => each === text);
  if (shell === undefined) throw new InvalidArgumentError(`Known are ${SHELLS.join(', ')}.`);
  return shell;
}

/** The words that may stand where the last one is being written; `:files` for file names. Never rejects. */
export async function complete(root: Command, words: readonly string[]): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const [name, ...before] = words.slice(0, -1).filter((word) => !isGlobal(word));
  if (name === undefined) {
    const commands = root.commands.filter((command) => !isHidden(command)).map((command) => command.name());
    return startingWith(current, [...commands, 'help', ...longOptions(root)]);
  }
  if (name === 'help')
    return startingWith(
      current,
      root.commands.filter((command) => !isHidden(command)).map((one) => one.name()),
    );
  const command = root.commands.find((one) => one.name() === name || one.aliases().includes(name));
  if (command === undefined) return [];
  const previous = before.at(-1);
  const option = previous === undefined ? undefined : findOption(command, previous);
  if (option !== undefined && (option.required || option.optional)) {
    if (option.argChoices !== undefined) return startingWith(current, option.argChoices);
    const listed = /^one of ([\w, -]+)$/.exec(option.description)?.[1]?.split(', ');
    if (listed !== undefined) return startingWith(current, listed);
    return TAKES_FILE.test(option.long ?? '') ? [FILES] : [];
  }
  if (current.startsWith('-')) return startingWith(current, longOptions(command));
  const isFirst = positionals(command, before) === 0;
  if (name === 'completion') return isFirst ? startingWith(current, SHELLS) : [];
  if (isFirst && TAKES_NAME.has(name)) return startingWith(current, await pluginNames(before));
  if (isFirst && TAKES_FOLDER.has(name)) return [FILES];
  return current === '' ? longOptions(command) : [];
}

const isGlobal = (word: string): boolean => word === '-q' || word === '--quiet';

function isHidden(command: Command): boolean {
  return command.name().startsWith('__');
}

function findOption(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word === long || word === short);
}

function longOptions(command: Command): string[] {
  return [
    ...command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => (long == null ? [] : [long])),
    '--help',
  ];
}

/** How many of the words are arguments, and no options or their values. */
function positionals(command: Command, words: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const option = findOption(command, word);
    if (option?.required === true) index += 1;
    else if (!word.startsWith('-')) count += 1;
  }
  return count;
}

/** Quick, and no code of a plugin runs. A broken config completes nothing. */
async function pluginNames(words: readonly string[]): Promise<string[]> {
  const at = words.indexOf('--config');
  try {
    const [{ readConfig }, { findPlugins }] = await Promise.all([
      import('../config/index.ts'),
      import('./find-plugins.ts'),
    ]);
    const read = await readConfig(at < 0 ? undefined : words[at + 1]);
    if (!read.ok) return [];
    const found = await findPlugins(read.config);
    const names = found.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
    // A shell would take what is not a plain word apart, or run it.
    return [...new Set(names)]
      .filter((name) => /^[\w.:-]+$/.test(name) && printable(name) === name)
      .slice(0, MOST_NAMES);
  } catch {
    return [];
  }
}

function startingWith(current: string, words: readonly string[]): string[] {
  return words.filter((word) => word.startsWith(current));
}

const BASH = `# glovebox: completion for bash
_glovebox() {
  local line reply
  COMPREPLY=()
  reply="$("\${COMP_WORDS[0]}" ${ASK} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return 0
  if [[ "$reply" == "${FILES}" ]]; then
    compopt -o default 2>/dev/null
    return 0
  fi
  while IFS= read -r line; do
    [[ -n "$line" ]] && COMPREPLY+=("$line")
  done <<< "$reply"
}
complete -F _glovebox glovebox
`;

const ZSH = `#compdef glovebox
# glovebox: completion for zsh
_glovebox() {
  local reply
  reply="$("\${words[1]}" ${ASK} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)" || return 0
  if [[ "$reply" == "${FILES}" ]]; then
    _files
    return
  fi
  local -a found
  found=("\${(@f)reply}")
  compadd -- "\${(@)found:#}"
}
compdef _glovebox glovebox
`;

const FISH = `# glovebox: completion for fish
function __glovebox_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l reply ($words[1] ${ASK} -- $words[2..-1] 2>/dev/null)
  if test "$reply" = "${FILES}"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $reply
  end
end
complete -c glovebox -f -a '(__glovebox_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
