import { isRecord } from '../../../schema/pointer.ts';

const KEYWORD = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * The newer protocol lets a server name arguments that go into HTTP headers as well (SEP-2243), and has clients refuse a
 * tool whose declarations are wrong: a header must be a token, be unique, and belong to a primitive that is reached
 * through `properties` alone.
 */
export function findHeaderProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  const seen = new Set<string>();
  const visit = (node: unknown, isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) return first(node, (entry) => visit(entry, false));
    if (!isRecord(node)) return undefined;
    const header = Object.hasOwn(node, KEYWORD) ? node[KEYWORD] : undefined;
    if (header !== undefined) {
      const problem = isReachable
        ? explain(header, node.type, seen)
        : 'it stands where no argument is sure to be';
      if (problem !== undefined) return `${KEYWORD}: ${problem}`;
    }
    return first(Object.entries(node), ([key, child]) => {
      if (key !== 'properties') return visit(child, false);
      return isRecord(child) ? first(Object.values(child), (each) => visit(each, isReachable)) : undefined;
    });
  };
  return Object.hasOwn(schema, KEYWORD)
    ? `${KEYWORD}: the arguments as a whole are no header`
    : visit(schema, true);
}

function explain(header: unknown, type: unknown, seen: Set<string>): string | undefined {
  if (typeof header !== 'string' || !TOKEN.test(header)) return 'it is no name of a header';
  if (!TYPES.includes(type)) return 'only a string, an integer or a boolean can be a header';
  const name = header.toLowerCase();
  if (seen.has(name)) return 'two arguments share one header';
  seen.add(name);
  return undefined;
}

function first<Item>(items: readonly Item[], find: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
