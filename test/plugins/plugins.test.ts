import { describe, expect, it } from 'vitest';
import { importPlugin, purePluginNames, readExamples } from './by-import.ts';

const run = async (name: string, args: Record<string, unknown>) => (await importPlugin(name))(args);
const calculate = (expression: string) => run('calculator', { expression });
const convert = async (value: number, from: string, to: string) => {
  const result = await run('convert_units', { value, from, to });
  return (result as { value: number }).value;
};
const html = (markdown: string) => run('markdown_to_html', { markdown });

describe.each(purePluginNames)('the examples of %s', (name) => {
  const examples = readExamples(name);

  it('are there, and each has a result', () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.every((example) => example.result !== undefined)).toBe(true);
  });

  it.each(examples.map((example) => [JSON.stringify(example.arguments), example] as const))(
    '%s',
    async (_, example) => {
      expect(await run(name, example.arguments)).toEqual(example.result);
    },
  );
});

describe('calculator', () => {
  it.each([
    ['-2^2', -4],
    ['2^3^2', 512],
    ['2**10', 1024],
    ['5!', 120],
    ['200 + 15%', 230],
    ['-1 mod 3', 2],
    ['1/3', 0.333333333333333],
    ['sin(pi)', 0],
    ['ln(e)', 1],
    ['2^64', '18446744073709551616'],
    ['12345678901234567890 + 1', '12345678901234567891'],
    ['1000!', '4.02387260077094e+2567'],
    ['x = 3; x^2', 9],
    ['std(2, 4, 4, 4, 5, 5, 7, 9)', 2.1380899352994],
    ['combinations(50, 3)', 19600],
    ['3 × √(16) ÷ 2', 6],
    ['1 < 2 < 3', true],
    ['7 > 3 ? 10 : 20', 10],
  ])('calculates %s', async (expression, expected) => {
    expect(await calculate(expression)).toBe(expected);
  });

  it.each([
    ['1/0', /Division by zero in "1 \/ 0"/],
    ['sqrt(-1)', /no real value/],
    ['2 +', /end of expression at the end/],
    ['sqr(4)', /Did you mean "sqrt"/],
    ['rate * 2', /Unknown name "rate".*variables/],
    ['constructor(1)', /Unknown function "constructor"/],
    ['__proto__', /Unknown name/],
    ['1,000 * 2', /without thousands separators/],
    ['2 km to m', /convert_units/],
    ['[1, 2]', /is a list/],
    ['sum(1:1000000)', /more than 10000 members/],
    ['"a"', /is text/],
    ['f(x) = x', /own functions are not supported/],
  ])('says what is wrong with %s', async (expression, reason) => {
    await expect(calculate(expression)).rejects.toThrow(reason);
  });
});

describe('convert_units', () => {
  it.each([
    [1, 'mile', 'km', 1.609344],
    [1, 'GiB', 'MB', 1073.741824],
    [1, 'kWh', 'MJ', 3.6],
    [-40, '°C', 'F', -40],
    [1, 'square miles', 'acres', 640],
    [1, 'imperial gallon', 'l', 4.54609],
    [1, 'Mbit/s', 'kB/s', 125],
    [1, 'lbf/in^2', 'psi', 1],
    [1, 'kg·m/s²', 'N', 1],
    [1, 'µg/m³', 'ng/l', 1],
    [8, 'l/100 km', 'mpg', 29.4018229167],
    [1, 'miles per hour', 'km/h', 1.609344],
    [1, 'mW', 'MW', 1e-9],
  ])('converts %d %s to %s', async (value, from, to, expected) => {
    expect(await convert(value, from, to)).toBe(expected);
  });

  it.each([
    [1, 'kg', 'm', /mass and m one of length/],
    [1, 'USD', 'EUR', /currency/],
    [1, 'kilometr', 'm', /no unit that this tool knows/],
    [-300, 'C', 'K', /absolute zero/],
    [1, 'J/(kg °C)', 'J/(kg K)', /use K for temperature differences/],
    [0, 'mpg', 'l/100km', /no value/],
    [1, 'm/', 's', /ends where a unit should follow/],
    [1, 'constructor', 'm', /no unit/],
  ])('says what is wrong with %d %s to %s', async (value, from, to, reason) => {
    await expect(convert(value, from, to)).rejects.toThrow(reason);
  });
});

describe('query_json', () => {
  const data = { items: [{ a: 1 }, { a: 2 }] };

  it('gives a list of the matches without properties of its own', async () => {
    const result = await run('query_json', { data, query: 'items.a' });
    expect(Object.getOwnPropertyNames(result)).toEqual(['0', '1', 'length']);
  });

  it.each([
    ['items[?(@.a>1)]', /JSONata, not JSONPath/],
    ['.items[] | .a', /JSONata, not jq/],
    ['$sum(', /at character 5/],
    ['$sum', /gives a function/],
    ['$foo(1)', /has the keys: items/],
  ])('says what is wrong with %s', async (query, reason) => {
    await expect(run('query_json', { data, query })).rejects.toThrow(reason);
  });

  it('says where text that should be JSON is broken', async () => {
    await expect(run('query_json', { data: '{"a": ', query: 'a' })).rejects.toThrow(/no valid JSON/);
  });
});

describe('parse_csv', () => {
  it('keeps text whose value as a number would lose something', async () => {
    const text = 'a,b,c,d,e\n007,1.50,1e999,12345678901234567890,2.5\n';
    expect(await run('parse_csv', { text, header: false })).toMatchObject({
      rows: [expect.anything(), ['007', '1.50', '1e999', '12345678901234567890', 2.5]],
    });
  });

  it('takes __proto__ as a column like any other', async () => {
    const { rows } = (await run('parse_csv', { text: '__proto__,b\n1,2\n' })) as { rows: object[] };
    expect(JSON.stringify(rows)).toBe('[{"__proto__":1,"b":2}]');
  });

  it('tells of columns without a name, names that come again, and an open quote', async () => {
    expect(await run('parse_csv', { text: 'a,a,\n1,2,"3\n' })).toMatchObject({
      columns: ['a', 'a_2', 'column_3'],
      problems: [
        expect.stringMatching(/Quoted field/),
        expect.stringMatching(/"a" again/),
        expect.stringMatching(/no name/),
      ],
    });
  });

  it('names the columns that there are when one is asked for that is not', async () => {
    await expect(run('parse_csv', { text: 'a,b\n1,2', columns: ['c'] })).rejects.toThrow(
      /no column "c".*a, b/,
    );
  });
});

describe('text_diff', () => {
  it('tells whitespace from other differences when asked to', async () => {
    const texts = { before: 'a b', after: 'a  b', ignoreWhitespace: true };
    expect(await run('text_diff', texts)).toBe('The texts differ in whitespace only.');
  });

  it('gives up on texts that have nothing in common, and says so', async () => {
    const lines = (seed: string) => Array.from({ length: 5_500 }, (_, index) => `${seed}${index}`).join('\n');
    await expect(run('text_diff', { before: lines('a'), after: lines('b') })).rejects.toThrow(
      /little in common/,
    );
  });
});

describe('markdown_to_html', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](java&Tab;script:alert(1))',
    '[a](javascript&#58;alert(1))',
    '[a](<java\tscript:alert(1)>)',
    '[a](data:text/html,x)',
    '![a](vbscript:x)',
    '<javascript:alert(1)>',
    '[a]: javascript:alert(1)\n\n[a]',
    '| <svg onload=alert(1)> |\n|--|\n| x |',
  ])('lets no script through: %s', async (markdown) => {
    const result = String(await html(markdown));
    expect(result).not.toMatch(/<(script|img|svg)/i);
    expect(result).not.toMatch(/(href|src)="/i);
  });

  it('can leave raw HTML out', async () => {
    expect(await run('markdown_to_html', { markdown: 'a <b>c</b>', rawHtml: 'remove' })).toBe('<p>a c</p>\n');
  });

  it('keeps ordinary links and images', async () => {
    expect(await html('[a](./b:c) ![i](https://example.com/i.png)')).toBe(
      '<p><a href="./b:c">a</a> <img src="https://example.com/i.png" alt="i"></p>\n',
    );
  });
});

describe('date_math', () => {
  it.each([
    ['2026-03-29T02:30', /does not exist in Europe\/Berlin.*03:30 was used/],
    ['2026-10-25T02:30', /comes twice in Europe\/Berlin/],
  ])('says how it read %s, which daylight saving skips or repeats', async (date, note) => {
    const options = { operation: 'convert', date, timeZone: 'Europe/Berlin', toTimeZone: 'UTC' };
    expect(await run('date_math', options)).toMatchObject({ note: expect.stringMatching(note) });
  });

  it('gives the facts of a date', async () => {
    expect(await run('date_math', { operation: 'info', date: '2026-11-30' })).toMatchObject({
      weekday: 'Monday',
      isoWeek: '2026-W49',
      dayOfYear: 334,
      leapYear: false,
    });
  });

  it('measures across zones and daylight saving in real hours', async () => {
    const options = {
      operation: 'difference',
      date: '2026-03-28T12:00',
      end: '2026-03-29T12:00',
      largestUnit: 'hours',
    };
    expect(await run('date_math', { ...options, timeZone: 'Europe/Berlin' })).toMatchObject({
      text: '23 hours',
    });
    expect(await run('date_math', options)).toMatchObject({ text: '24 hours' });
  });

  it.each([
    [{ operation: 'add', date: '2026-02-30', duration: 'P1D' }, /Invalid day: 30/],
    [{ operation: 'add', date: 'tomorrow', duration: 'P1D' }, /no ISO 8601 date/],
    [{ operation: 'add', date: '2026-02-20', duration: '1 day' }, /no ISO 8601 duration/],
    [{ operation: 'add', date: '2026-02-20', duration: 'PT5H' }, /no whole number of days/],
    [{ operation: 'add', date: '2026-02-20', end: '2026-02-21' }, /doesn't use end/],
    [{ operation: 'add' }, /needs "date"/],
    [{ operation: 'now', timeZone: 'Mars' }, /no time zone/],
    [{ operation: 'convert', date: '2026-02-20', toTimeZone: 'UTC' }, /the same day everywhere/],
  ])('says what is wrong with %j', async (options, reason) => {
    await expect(run('date_math', options)).rejects.toThrow(reason);
  });
});
