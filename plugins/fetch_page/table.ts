const MOST_COLUMNS = 50;
const MOST_ROWS = 5_000;

/**
 * A table as Markdown has it: one header row, one line a row, cells that span repeated as blanks. What is a table for
 * the looks only (one column, or tables within) becomes paragraphs.
 */
export function tableToMarkdown(
  table: Element,
  /** Its cells one after the other, as Markdown. */
  content: string,
  render: (cell: Element) => string,
): string {
  const rows = rowsOf(table).slice(0, MOST_ROWS);
  const cells = rows.map((row) => cellsOf(row));
  const columns = Math.min(MOST_COLUMNS, Math.max(0, ...cells.map(widthOf)));
  if (columns === 0) return '';
  // Rendering cells anew would take twice the time at each level of tables within tables.
  if (columns === 1 || table.querySelector('table') !== null) return `\n\n${content.trim()}\n\n`;
  const lines = cells.map((row) => toLine(row, columns, render));
  const isHead = rows[0] !== undefined && isHeadRow(rows[0]);
  const head = isHead ? (lines.shift() ?? '') : `|${' |'.repeat(columns)}`;
  const caption = table.querySelector('caption')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
  const body = [head, `|${' --- |'.repeat(columns)}`, ...lines.filter((line) => /[^|\s]/.test(line))];
  return `\n\n${caption === '' ? '' : `${caption}\n\n`}${body.join('\n')}\n\n`;
}

function rowsOf(table: Element): Element[] {
  const sections = [...table.children].flatMap((child) => {
    if (is(child, 'tr')) return [child];
    return is(child, 'thead', 'tbody', 'tfoot') ? [...child.children].filter((row) => is(row, 'tr')) : [];
  });
  return sections;
}

function cellsOf(row: Element): Element[] {
  return [...row.children].filter((cell) => is(cell, 'td', 'th'));
}

function isHeadRow(row: Element): boolean {
  const cells = cellsOf(row);
  if (row.parentElement !== null && is(row.parentElement, 'thead')) return true;
  return cells.length > 0 && cells.every((cell) => is(cell, 'th'));
}

function toLine(row: readonly Element[], columns: number, render: (cell: Element) => string): string {
  const texts = row.flatMap((cell) => {
    const text = render(cell).replace(/\n+/g, ' ').replace(/\|/g, '\\|').trim();
    return [text, ...Array.from({ length: spanOf(cell) - 1 }, () => '')];
  });
  const filled = Array.from({ length: columns }, (_, index) => texts[index] ?? '');
  return `| ${filled.join(' | ')} |`;
}

function widthOf(row: readonly Element[]): number {
  return row.reduce((width, cell) => width + spanOf(cell), 0);
}

function spanOf(cell: Element): number {
  const span = Number(cell.getAttribute('colspan') ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, MOST_COLUMNS) : 1;
}

function is(element: Element, ...names: readonly string[]): boolean {
  return names.includes(element.nodeName.toLowerCase());
}
