import { lintTools, TARGET_RULES, type Target, type ToolProblem } from '../adapters/index.ts';
import { nameSome } from '../name-some.ts';
import { isRecord, pointerKeys, pointerTo } from '../schema/pointer.ts';
import type { Finding } from './finding.ts';
import { findingAt, type Subject } from './subject.ts';

/** What a provider would refuse or lose of the tools as they are written. The exports handle what can be handled. */
export function checkPortability(subjects: readonly Subject[]): Finding[] {
  const tools = new Map(
    subjects.flatMap((subject) => (subject.manifest === undefined ? [] : [[subject.name, subject] as const])),
  );
  const manifests = [...tools.values()].flatMap(({ manifest }) => (manifest === undefined ? [] : [manifest]));
  const [first] = tools.values();
  return merge(lintTools(manifests)).flatMap((remark): Finding[] => {
    const subject = remark.tool === '' ? first : tools.get(remark.tool);
    // Descriptions have rules of their own.
    if (subject === undefined || remark.path === 'description') return [];
    return [findingAt(subject, pointerOf(remark, subject), describe(remark))];
  });
}

interface Remark extends Omit<ToolProblem, 'target'> {
  readonly targets: readonly Target[];
}

/** What several providers have against the same place is one finding. */
function merge(problems: readonly ToolProblem[]): Remark[] {
  const merged = new Map<string, Remark>();
  for (const { target, ...problem } of problems) {
    const title = target === undefined ? '' : TARGET_RULES[target].title;
    const bare = problem.message.replace(`${title}: `, '');
    const key = JSON.stringify([problem.tool, problem.path, problem.level, bare]);
    const targets = [...(merged.get(key)?.targets ?? []), ...(target === undefined ? [] : [target])];
    merged.set(key, { ...problem, message: bare, targets });
  }
  return [...merged.values()];
}

function pointerOf({ path, tool, message }: Remark, { manifest }: Subject): string {
  if (tool === '') return '';
  if (path === 'name') return '/name';
  if (path.startsWith('/')) return `/parameters${path}`;
  if (path !== '') return `/${path}`;
  // Notes of an export name the argument, not the place in the schema.
  const argument = /^(\/[^:\s]*): /.exec(message)?.[1] ?? '';
  return `/parameters${schemaPointer(manifest?.parameters, argument)}`;
}

function schemaPointer(parameters: unknown, argument: string): string {
  let schema = parameters;
  let pointer = '';
  for (const key of pointerKeys(argument)) {
    const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
    const isProperty = Object.hasOwn(properties, key);
    pointer = isProperty ? pointerTo(`${pointer}/properties`, key) : pointerTo(pointer, key);
    schema = isProperty ? properties[key] : isRecord(schema) ? schema[key] : undefined;
  }
  return pointer;
}

function describe({ message, level, path, tool, targets }: Remark) {
  const titles = targets.map((target) => TARGET_RULES[target].title).join(', ');
  const told = titles === '' ? message : `${titles}: ${message}`;
  const rule = `portability/${targets.length === 1 ? targets[0] : 'providers'}`;
  if (level === 'handled') return { rule, level: 'note' as const, message: told, fix: HANDLED };
  if (path === '' && tool !== '') return { rule, level: 'note' as const, message: told, fix: STRICT };
  const fix = tool === '' ? 'show fewer tools at a time: host.view({ allow: [...] })' : 'change it as said';
  return { rule, level: 'warning' as const, message: told, fix };
}

const HANDLED =
  'nothing needs doing: the export rewrites it, and arguments are held against this schema all the same';
const STRICT = 'nothing needs doing, unless you want strict mode: then list every key';

/** Two plugins of one name: neither serves, unless one did before. */
export function checkNames(subjects: readonly Subject[]): Finding[] {
  return [...Map.groupBy(subjects, ({ name }) => name).values()]
    .filter((same) => same.length > 1)
    .flatMap((same) =>
      same.map((subject) => {
        const others = same.filter((each) => each !== subject).map(({ dir }) => dir);
        return findingAt(subject, '/name', {
          ...{ rule: 'name/taken', level: 'error' },
          message: `the name "${subject.name}" is taken by ${nameSome(others)} too; two of one name serve nobody`,
          fix: 'give one of them another "name"',
        });
      }),
    );
}
