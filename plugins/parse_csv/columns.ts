/** Names for the columns: an empty one gets a number, one that comes again gets a suffix, and both are told. */
export function nameColumns(head: readonly string[]): { names: string[]; problems: string[] } {
  const problems: string[] = [];
  const taken = new Set<string>();
  const names = head.map((raw, index) => {
    const wanted = raw.trim() || `column_${index + 1}`;
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
    taken.add(name);
    if (name !== raw.trim()) {
      const what = raw.trim() === '' ? 'has no name' : `has the name "${raw.trim()}" again`;
      problems.push(`Column ${index + 1} ${what}; it is called "${name}" here.`);
    }
    return name;
  });
  return { names, problems };
}

export function describeRaggedRows(rows: readonly (readonly string[])[], expected: number): string[] {
  return rows.flatMap((row, index) => {
    if (row.length === expected) return [];
    const cells = row.length === 1 ? '1 cell' : `${row.length} cells`;
    const lost = row.length > expected ? '; those too many are left out' : '';
    return [`Row ${index + 1} has ${cells} where the header has ${expected}${lost}.`];
  });
}
