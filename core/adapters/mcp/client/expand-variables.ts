import os from 'node:os';
import path from 'node:path';

export interface VariableSource {
  /** The host's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for: the config's folder. */
  readonly folder: string;
}

/** Gathers what one server's texts come to. */
export interface Expansion {
  /** Values that must never be seen in a result, an error or a log. */
  readonly secrets: Set<string>;
  /** Sentences for the operator. */
  readonly problems: string[];
}

/** Variables that say where things are and whose value is no secret: taking `/root` out of every result would harm. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['HOME', 'USER', 'LOGNAME', 'USERNAME', 'USERPROFILE', 'PATH', 'PWD', 'SHELL', 'LANG', 'LC_ALL', 'TZ'],
  ...['TMPDIR', 'TEMP', 'TMP', 'TERM', 'HOSTNAME', 'NODE_ENV', 'APPDATA', 'LOCALAPPDATA', 'SYSTEMROOT'],
]);

/** Shorter values occur in innocent text all the time. */
const SHORTEST_SECRET = 4;

const SECRET_NAME = /key|token|secret|passw|pwd|credential|auth|cookie|session|signature|private/i;

/**
 * Fills in `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${userHome}`, `${workspaceFolder}` and `${pathSeparator}`, as
 * the clients do whose configs are pasted here. What can't be filled in is a problem, never an empty text.
 */
export function expandText(text: string, source: VariableSource, expansion: Expansion): string {
  return text.replace(/\$\{([^{}\n]{1,200})\}/g, (written, inner: string) => {
    const fixed = FIXED.get(inner);
    if (fixed !== undefined) return fixed(source);
    const named = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/.exec(inner);
    if (named !== null) return lookUp(named[1] ?? '', named[2], source, expansion);
    const other = /^(\w+):/.exec(inner)?.[1];
    // `${x y}` and its like mean something to a shell, and nothing here.
    if (other === undefined) return written;
    expansion.problems.push(
      other === 'input'
        ? `${written} asks a person, and nobody can be asked here; put the value into an environment variable and write \${env:NAME}`
        : `${written} is not known here; known are \${NAME}, \${env:NAME} and \${workspaceFolder}`,
    );
    return written;
  });
}

const FIXED: ReadonlyMap<string, (source: VariableSource) => string> = new Map<
  string,
  (source: VariableSource) => string
>([
  ['userHome', () => os.homedir()],
  ['workspaceFolder', ({ folder }) => folder],
  ['workspaceFolderBasename', ({ folder }) => path.basename(folder)],
  ['pathSeparator', () => path.sep],
  ['/', () => path.sep],
]);

function lookUp(
  name: string,
  otherwise: string | undefined,
  { env }: VariableSource,
  { secrets, problems }: Expansion,
): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== '') {
    if (!PLAIN.has(name.toUpperCase())) addSecret(value, secrets);
    return value;
  }
  if (otherwise !== undefined) return otherwise;
  if (value === undefined) problems.push(`the environment variable ${name} is not set`);
  return '';
}

/** The same for a table of names and values; what a name calls a secret is one even where it is written out. */
export function expandTable(
  table: Readonly<Record<string, string>>,
  source: VariableSource,
  expansion: Expansion,
): Readonly<Record<string, string>> {
  const entries = Object.entries(table).map(([name, text]) => {
    const value = expandText(text, source, expansion);
    if (SECRET_NAME.test(name)) {
      addSecret(value, expansion.secrets);
      // `Bearer abc`: the part after the scheme is the secret one.
      addSecret(/^\w+ (\S+)$/.exec(value)?.[1] ?? '', expansion.secrets);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

/** Passwords and keys may stand in an address too. */
export function addUrlSecrets(url: URL, secrets: Set<string>): void {
  addSecret(url.password, secrets);
  for (const [name, value] of url.searchParams) if (SECRET_NAME.test(name)) addSecret(value, secrets);
}

function addSecret(value: string, secrets: Set<string>): void {
  for (const text of [value, value.trim()]) if (text.length >= SHORTEST_SECRET) secrets.add(text);
}
