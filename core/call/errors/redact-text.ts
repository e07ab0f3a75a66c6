export interface RedactOptions {
  /** Text that the reader wrote itself (the arguments): a path that stands in it is no news and stays readable. */
  readonly known?: string;
}

const REDACTED = '[redacted]';
const PATH = '[path]';

/** Longer texts are cut before any pattern runs over them. */
const MAX_CHARS = 16_384;

/**
 * Takes out of a text what a model must not see: credentials, stack frames and paths of this machine. It works on
 * forms, so it errs on the side of removing; the exact secrets that the host knows are removed elsewhere, by value.
 */
export function redactText(text: string, { known = '' }: RedactOptions = {}): string {
  const bounded = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS).toWellFormed() : text;
  return redactPaths(redactFrames(redactSecrets(bounded)), known);
}

const SECRET_NAME =
  '[\\w.-]*(?:api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|signature|authorization|x-amz-security|\\bsig\\b|\\bauth\\b|\\bkey\\b)[\\w.-]*';

const SECRETS: readonly (readonly [RegExp, string])[] = [
  // A key that was cut off has no END line.
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, REDACTED],
  // Where a database or a queue is, and as whom it is entered, is nobody's business even without the password.
  [
    /\b(?:jdbc:[a-z]+:[a-z]*|postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|valkeys?|amqps?|mqtts?|nats|kafka|mssql|sqlserver|oracle|clickhouse|cockroachdb|cassandra|neo4j|bolt|ldaps?|s?ftp|smb)(?:\+[a-z]+)?:\/\/[^\s"'`<>]+/gi,
    REDACTED,
  ],
  [
    /\b(?:Server|Data Source|Host|Endpoint|DefaultEndpointsProtocol|AccountName|Driver)\s?=[^;\n"'`]{1,200}(?:;\s?[A-Za-z][\w ]{0,40}=[^;\n"'`\s]{0,200})+;?/gi,
    REDACTED,
  ],
  // `scheme://user:password@host`; a password may hold an @ of its own.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'`<>]+@/gi, `$1${REDACTED}@`],
  [/\b(Bearer|Basic|Digest|Negotiate)\s+[A-Za-z0-9+/=._~:-]{6,}/gi, `$1 ${REDACTED}`],
  // Well-known shapes: JSON web tokens, and the prefixes that vendors put before their keys.
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [
    /\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}|\b(?:gh[opsur]|npm|hf|glpat|xox[abeoprs]|xapp|dop_v1|shpat|SG|AIza|ya29|github_pat)[-_.]?[A-Za-z0-9_.-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
    REDACTED,
  ],
  [
    new RegExp(
      `(["']?(?<![\\w.-])${SECRET_NAME}["']?\\s*[=:]\\s*)(?:"(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[^\\s"',;&)}\\]]+)`,
      'gi',
    ),
    `$1${REDACTED}`,
  ],
];

function redactSecrets(text: string): string {
  return SECRETS.reduce((done, [pattern, replacement]) => done.replace(pattern, replacement), text);
}

/** V8's `    at name (place)`, and the same frames strung together on one line. */
function redactFrames(text: string): string {
  return (
    text
      .replace(/(?:^|\n)[ \t]*at [^\n]*(?::\d+:\d+\)?|\(<anonymous>\)|\(native\))[ \t]*(?=\n|$)/g, '')
      .replace(
        /\s+at (?:(?:async |new )?[\w$.<>[\] ]{1,120} \((?:[^()\n]*:\d+:\d+|<anonymous>|native)\)|[^\s()]+:\d+:\d+)/g,
        '',
      )
      // V8's own indentation, where the place was left out.
      .replace(/\n(?: {4}|\t)at [\w$.<>]{1,120}[ \t]*(?=\n|$)/g, '')
      .replace(/(?:^|\n)[ \t]*File "[^"\n]*", line \d+[^\n]*(?=\n|$)/g, '')
  );
}

// Not after a word character, dot, colon or slash: those begin a URL, a ratio or a relative path.
const ABSOLUTE_PATHS: readonly RegExp[] = [
  /file:\/\/\/?[^\s"'`<>)\]}]+/gi,
  // Quoted, blanks and all.
  /(?<=(["'`]))(?:[A-Za-z]:[\\/]|\\\\|\/|~\/)[^"'`\n]*(?=\1)/g,
  /(?<![\w:/.\\])[A-Za-z]:[\\/](?![\\/])[^\s"'`<>|)\]},;]*/g,
  /(?<![\w\\])\\\\[\w.$-]+\\[^\s"'`<>|)\]},;]*/g,
  /(?<![\w:/.~)\]}%-])~?\/(?!\/)[\w.@+~%-]+(?:\/[\w.@+~%-]*)+/g,
];

function redactPaths(text: string, known: string): string {
  return ABSOLUTE_PATHS.reduce(
    (done, pattern) => done.replace(pattern, (path: string) => (isKnown(path, known) ? path : PATH)),
    text,
  );
}

function isKnown(path: string, known: string): boolean {
  const bare = path.replace(/(?::\d+)+$/, '').replace(/[.:]+$/, '');
  if (bare === '/' || bare === '') return true;
  // In JSON text a backslash is written twice.
  return bare.length > 1 && (known.includes(bare) || known.includes(JSON.stringify(bare).slice(1, -1)));
}
