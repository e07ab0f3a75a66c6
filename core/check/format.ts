import path from 'node:path';
import type { Finding, Level } from './finding.ts';
import type { CheckReport } from './run-check.ts';

export type Paint = (style: 'red' | 'yellow' | 'cyan' | 'bold' | 'dim' | 'green', text: string) => string;

const STYLES = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<Level, string>;

/** For people: each finding with its place and its fix, and a count. `clean` makes strangers' texts fit for a terminal. */
export function formatText(
  report: CheckReport,
  cwd: string,
  paint: Paint,
  clean: (text: string) => string,
): string {
  const lines = report.findings.flatMap(({ level, rule, message, fix, safeFix, ...place }) => [
    `${paint('bold', clean(placeOf(place, cwd)))} ${paint(STYLES[level], level)} ${clean(message)} ${paint('dim', rule)}`,
    `  fix: ${clean(fix)}${safeFix === undefined ? '' : paint('dim', ' [--fix]')}`,
  ]);
  const fixed = report.fixes.filter(({ ok }) => ok).map(({ finding }) => finding);
  const left = report.fixes.filter(({ ok }) => !ok);
  return `${[
    ...fixed.map(
      (finding) => `${paint('green', 'fixed')} ${clean(placeOf(finding, cwd))} ${clean(finding.message)}`,
    ),
    ...left.map(
      ({ finding, reason = '' }) =>
        `${paint('yellow', 'not fixed')} ${clean(placeOf(finding, cwd))} ${clean(reason)}`,
    ),
    ...lines,
    ...(lines.length + report.fixes.length > 0 ? [''] : []),
    summary(report),
  ].join('\n')}\n`;
}

function summary({ findings, plugins, fixes }: CheckReport): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const plural = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const fixed = fixes.filter(({ ok }) => ok).length;
  const parts = [
    plural(count('error'), 'error'),
    plural(count('warning'), 'warning'),
    plural(count('note'), 'note'),
  ];
  return `${plural(plugins, 'plugin')} checked: ${parts.join(', ')}${fixed > 0 ? `, ${fixed} fixed` : ''}`;
}

export function formatJson(report: CheckReport, cwd: string): string {
  const plain = ({ safeFix, file, ...finding }: Finding) => ({
    ...finding,
    file: relative(file, cwd),
    fixable: safeFix !== undefined,
  });
  return `${JSON.stringify(
    {
      ok: report.ok,
      plugins: report.plugins,
      findings: report.findings.map(plain),
      fixed: report.fixes.filter(({ ok }) => ok).map(({ finding }) => plain(finding)),
    },
    null,
    2,
  )}\n`;
}

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const satisfies Record<
  Level,
  string
>;

/** Annotations, as GitHub's runner reads them from the output of a step. */
export function formatGitHub(report: CheckReport, cwd: string): string {
  const root = process.env.GITHUB_WORKSPACE ?? cwd;
  return report.findings
    .map(({ level, rule, file, line, column, message, fix }) => {
      const properties = Object.entries({
        file: relative(file, root),
        line,
        col: column,
        title: `glovebox ${rule}`,
      })
        .map(([key, value]) => `${key}=${escapeProperty(String(value))}`)
        .join(',');
      return `::${COMMANDS[level]} ${properties}::${escapeData(`${message}\nFix: ${fix}`)}\n`;
    })
    .join('');
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function placeOf({ file, line, column }: Pick<Finding, 'file' | 'line' | 'column'>, cwd: string): string {
  return `${relative(file, cwd)}:${line}:${column}`;
}

/** With `/` on every system, as annotations and editors take it. */
function relative(file: string, root: string): string {
  return (path.relative(root, file) || '.').split(path.sep).join('/');
}
