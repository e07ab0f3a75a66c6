import Papa from 'papaparse';
import { describeRaggedRows, nameColumns } from './columns.ts';
import type { Arguments } from './schema.d.ts';
import { type Cell, toValue } from './value.ts';

const DEFAULT_LIMIT = 1_000;
const CANDIDATES = [',', ';', '\t', '|'];
/** The text around a cell that can't be read is the clue; the whole list would be noise. */
const MAX_PROBLEMS = 20;

export default function parseCsv(options: Arguments) {
  const {
    text,
    delimiter = '',
    header = true,
    types = true,
    columns: wanted,
    offset = 0,
    limit = DEFAULT_LIMIT,
  } = options;
  if (wanted && !header)
    throw new Error('"columns" needs a header: leave "header" out, or leave "columns" out.');
  const parsed = parse(text.replace(/^\uFEFF/, ''), delimiter);
  const quoteErrors = parsed.errors
    .filter((error) => error.type === 'Quotes')
    .map(
      (error) =>
        `${error.message}${error.row === undefined ? '' : ` (row ${header ? error.row : error.row + 1})`}.`,
    );

  const cellOf = (raw: string | undefined): Cell => (types ? toValue(raw ?? '') : (raw ?? ''));
  const used = parsed.meta.delimiter;
  if (!header) {
    const rows = parsed.data.slice(offset, offset + limit).map((row) => row.map(cellOf));
    return { rows, total: parsed.data.length, delimiter: used, ...problemsOf(quoteErrors) };
  }

  const [head = [], ...body] = parsed.data;
  if (head.length === 0) throw new Error('The text has no rows at all.');
  const { names, problems } = nameColumns(head);
  const chosen = pick(names, wanted);
  const rows = body.slice(offset, offset + limit).map((row) =>
    // fromEntries defines own properties: a column called __proto__ is only a column.
    Object.fromEntries(chosen.map(({ name, index }) => [name, cellOf(row[index])])),
  );
  return {
    columns: chosen.map(({ name }) => name),
    rows,
    total: body.length,
    delimiter: used,
    ...problemsOf([...quoteErrors, ...problems, ...describeRaggedRows(body, names.length)]),
  };
}

/** Papa guesses from the average row, so ragged rows confuse it; then the first line decides. */
function parse(text: string, delimiter: string): Papa.ParseResult<string[]> {
  const parsed = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: 'greedy' });
  if (!parsed.errors.some((error) => error.code === 'UndetectableDelimiter')) return parsed;
  const [firstLine = ''] = text.split(/\r?\n|\r/, 1);
  const [best = ','] = CANDIDATES.toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length);
  return Papa.parse<string[]>(text, { delimiter: best, skipEmptyLines: 'greedy' });
}

function pick(names: readonly string[], wanted: readonly string[] = names) {
  return wanted.map((name) => {
    const index = names.indexOf(name);
    if (index === -1) throw new Error(`There is no column "${name}". The columns are: ${names.join(', ')}.`);
    return { name, index };
  });
}

function problemsOf(problems: readonly string[]) {
  if (problems.length === 0) return {};
  const more = problems.length - MAX_PROBLEMS;
  return { problems: [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`And ${more} more.`] : [])] };
}
