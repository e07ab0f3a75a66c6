/** The part of JSONPath that names values: keys, indexes and all of a list. */
export type PathStep =
  | { readonly kind: 'key'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' };

const MOST_STEPS = 50;

/** Reads `$.rows[0]["a key"][*].name`. @throws Error that says where it stops making sense. */
export function parsePath(source: string): PathStep[] {
  const steps: PathStep[] = [];
  let rest = source.replace(/^\$/, '');
  while (rest !== '') {
    const { step, length } = readStep(rest, source);
    steps.push(step);
    rest = rest.slice(length);
    if (steps.length > MOST_STEPS) throw new Error(`the path ${source.slice(0, 60)}… is too long`);
  }
  return steps;
}

function readStep(rest: string, source: string): { readonly step: PathStep; readonly length: number } {
  const key = /^\.([^\s.[\]"']+)/.exec(rest);
  if (key?.[1] !== undefined) {
    const step: PathStep = key[1] === '*' ? { kind: 'all' } : { kind: 'key', name: key[1] };
    return { step, length: key[0].length };
  }
  const index = /^\[(-?\d{1,9})\]/.exec(rest);
  if (index !== null) return { step: { kind: 'index', index: Number(index[1]) }, length: index[0].length };
  if (rest.startsWith('[*]')) return { step: { kind: 'all' }, length: 3 };
  const quoted = /^\[(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\]/.exec(rest);
  if (quoted !== null) {
    const name = (quoted[1] ?? quoted[2] ?? '').replace(/\\(.)/g, '$1');
    return { step: { kind: 'key', name }, length: quoted[0].length };
  }
  throw new Error(
    `the path ${source.slice(0, 80)} is not understood at ${rest.slice(0, 20)}; write $.id.key[0]["other key"][*]`,
  );
}

export function showPath(steps: readonly PathStep[]): string {
  const parts = steps.map((step) => {
    if (step.kind === 'all') return '[*]';
    if (step.kind === 'index') return `[${step.index}]`;
    return /^[\w$-]+$/.test(step.name) ? `.${step.name}` : `[${JSON.stringify(step.name)}]`;
  });
  return `$${parts.join('')}`;
}
