import { type Finding, isMet, type Ratio, type Unit } from './finding.ts';

/** Markdown that also reads well on a terminal. */
export function writeTables(findings: readonly Finding[]): string {
  return findings.map(writeFinding).join('\n');
}

function writeFinding({ title, columns: all, rows, ratios }: Finding): string {
  const columns = all.filter(({ key }) => rows.some(({ values }) => values[key] !== undefined));
  const head = [
    '',
    ...columns.map(({ key, unit }) => (unit === '' || unit === '×' ? key : `${key} (${unit})`)),
  ];
  const body = rows.map(({ name, values }) => [
    name,
    ...columns.map(({ key, unit }) => writeNumber(values[key] ?? Number.NaN, unit)),
  ]);
  const lines = [`### ${title}`, '', ...alignTable([head, ...body]), ''];
  if (ratios.length > 0) {
    const table = ratios.map((ratio) => [
      ratio.name,
      `${writeNumber(ratio.value, ratio.unit ?? '×')}${ratio.unit === undefined ? '' : ` ${ratio.unit}`}`,
      writeGoal(ratio),
    ]);
    lines.push(...alignTable([['', 'found', 'goal'], ...table]), '');
  }
  return lines.join('\n');
}

function writeGoal(ratio: Ratio): string {
  const { goal, unit = '' } = ratio;
  if (goal === undefined) return '';
  const bound = goal.most === undefined ? `>= ${goal.least}` : `<= ${goal.most}`;
  return `${bound}${unit === '' ? '' : ` ${unit}`} ${isMet(ratio) ? '(met)' : '(missed)'}`;
}

export function writeNumber(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return '-';
  if (unit === '×') return `${value.toFixed(2)} ×`;
  const digits = unit === '' || value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 || value === 0 ? 2 : 4;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The first column to the left, numbers to the right. */
function alignTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => pad(cell, widths[column] ?? 0, column > 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [head, ...body] = rows;
  return head === undefined ? [] : [line(head), rule, ...body.map(line)];
}

function pad(cell: string, width: number, right: boolean): string {
  return right ? cell.padStart(width) : cell.padEnd(width);
}
