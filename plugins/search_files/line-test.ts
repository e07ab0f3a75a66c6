import { RE2JS } from 're2js';

export interface LineTest {
  /** Where in the line the match begins; -1 if there is none. */
  find(line: string): number;
  /** Can the text hold a match at all? Cheaper than line by line. */
  mayHold(text: string): boolean;
}

export function compileLineTest(text: string, isRegex: boolean, ignoreCase: boolean): LineTest {
  if (isRegex) return compileExpression(text, ignoreCase);
  if (/[\r\n]/.test(text)) throw new Error('"text" holds a line break, but lines are searched one by one.');
  if (!ignoreCase) return { find: (line) => line.indexOf(text), mayHold: (whole) => whole.includes(text) };
  const lower = text.toLowerCase();
  return {
    find: (line) => line.toLowerCase().indexOf(lower),
    mayHold: (whole) => whole.toLowerCase().includes(lower),
  };
}

function compileExpression(source: string, ignoreCase: boolean): LineTest {
  const expression = compile(source, ignoreCase);
  return {
    find(line) {
      const matcher = expression.matcher(line);
      return matcher.find() ? matcher.start() : -1;
    },
    mayHold: () => true,
  };
}

function compile(source: string, ignoreCase: boolean): RE2JS {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    const hint = /\(\?[=!<]|\\[1-9]/.test(source)
      ? ' Look-around and back-references are not there; search for less and filter what you get.'
      : ' For plain text leave "regex" out.';
    throw new Error(`The regular expression is not valid: ${reason.slice(0, 80)}.${hint}`);
  }
}
