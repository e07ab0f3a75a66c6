export interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly all?: boolean;
}

/** All edits or none: the first that does not fit throws, with the reason. */
export function applyEdits(before: string, edits: readonly Edit[]): { text: string; places: number } {
  let text = before;
  let places = 0;
  for (const [index, edit] of edits.entries()) {
    const found = occurrences(text, edit.find);
    if (found.length === 0)
      throw new Error(`Edit ${index + 1} does not fit: ${whyAbsent(text, edit.find)} Nothing was changed.`);
    if (found.length > 1 && edit.all !== true) {
      const lines = found.slice(0, 4).map((at) => lineOf(text, at));
      throw new Error(
        `Edit ${index + 1} fits ${found.length} times (lines ${lines.join(', ')}${found.length > 4 ? ', …' : ''}). Make "find" longer, or set "all". Nothing was changed.`,
      );
    }
    text = text.split(edit.find).join(edit.replace);
    places += found.length;
  }
  return { text, places };
}

function occurrences(text: string, find: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) found.push(at);
  return found;
}

/** The usual reasons: line breaks, blanks, a letter's case. */
function whyAbsent(text: string, find: string): string {
  if (text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(find))
    return 'the file ends its lines with \\r\\n, and "find" with \\n.';
  const squeeze = (part: string) => part.replace(/\s+/g, ' ').trim();
  if (squeeze(text).includes(squeeze(find))) return 'the text is there with other spaces or line breaks.';
  if (text.toLowerCase().includes(find.toLowerCase())) return 'the text is there with other capital letters.';
  const [firstLine = ''] = find.trim().split('\n', 1);
  const near = firstLine.length > 8 ? text.indexOf(firstLine.trim()) : -1;
  if (near >= 0) return `its first line is on line ${lineOf(text, near)}, but what follows differs.`;
  return 'the text is not in the file.';
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
