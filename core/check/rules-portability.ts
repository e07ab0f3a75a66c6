import { lintTools, type ToolProblem } from '../adapters/index.ts';
import type { Finding } from './finding.ts';
import { findingAt, type Subject } from './subject.ts';

/** What a provider would refuse or lose of the tools as they are written. The exports handle what can be handled. */
export function checkPortability(subjects: readonly Subject[]): Finding[] {
  const tools = new Map(
    subjects.flatMap((subject) => (subject.manifest === undefined ? [] : [[subject.name, subject] as const])),
  );
  const manifests = [...tools.values()].flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest]));
  const [first] = tools.values();
  return lintTools(manifests).flatMap((problem): Finding[] => {
    const subject = problem.tool === '' ? first : tools.get(problem.tool);
    // Descriptions have rules of their own.
    if (subject === undefined || problem.path === 'description') return [];
    return [findingAt(subject, pointerOf(problem), describe(problem))];
  });
}

function pointerOf({ path, tool }: ToolProblem): string {
  if (tool === '') return '';
  if (path === 'name') return '/name';
  return path.startsWith('/') || path === '' ? `/parameters${path}` : `/${path}`;
}

function describe({ message, level, path, tool, target }: ToolProblem) {
  const rule = `portability/${target ?? 'all'}`;
  if (level === 'handled')
    return {
      ...{ rule, level: 'note' as const, message },
      fix: 'nothing needs doing: the export rewrites it, and arguments are held against this schema all the same',
    };
  if (path === '' && tool !== '')
    return {
      ...{ rule, level: 'note' as const, message },
      fix: 'nothing needs doing unless you want strict mode: then write it within those rules',
    };
  return {
    rule,
    level: 'warning' as const,
    message,
    fix: tool === '' ? 'show fewer tools at a time' : 'change it as said',
  };
}

/** Two plugins of one name: neither serves, unless one did before. */
export function checkNames(subjects: readonly Subject[]): Finding[] {
  const byName = new Map<string, Subject[]>();
  for (const subject of subjects) byName.set(subject.name, [...(byName.get(subject.name) ?? []), subject]);
  return [...byName.values()]
    .filter((same) => same.length > 1)
    .flatMap((same) =>
      same.map((subject) => {
        const others = same.filter((each) => each !== subject).map(({ dir }) => dir);
        return findingAt(subject, '/name', {
          ...{ rule: 'name/taken', level: 'error' },
          message: `the name "${subject.name}" is taken by ${others.join(' and ')} too; two of one name serve nobody`,
          fix: 'give one of them another "name"',
        });
      }),
    );
}
