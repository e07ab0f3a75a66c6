import { findSimilar } from '../../schema/similar.ts';
import { type OpenApiDocument, OpenApiError, type Operation } from './document.ts';

const MAX_LISTED = 40;

/** The operation with this `operationId`, or at `METHOD /path`. */
export function findOperation(document: OpenApiDocument, wanted: string | undefined): Operation {
  const operations = document.operations();
  if (operations.length === 0) throw new OpenApiError('it has no operation');
  if (wanted === undefined) {
    const [only] = operations;
    if (only !== undefined && operations.length === 1) return only;
    throw new OpenApiError(`say which operation, behind a #:\n${list(operations)}`);
  }
  const byId = operations.filter(({ operation }) => operation.operationId === wanted);
  const [, method, path] = /^\s*([A-Za-z]+)\s+(\/\S*)\s*$/.exec(wanted) ?? [];
  const found =
    byId[0] ?? operations.find((each) => each.method === method?.toUpperCase() && each.path === path);
  if (found !== undefined) return found;
  const names = operations.flatMap(namesOf);
  const meant = findSimilar(wanted, names);
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  throw new OpenApiError(`it has no operation "${wanted}".${hint} There are:\n${list(operations)}`);
}

function namesOf({ method, path, operation }: Operation): string[] {
  const { operationId } = operation;
  return [...(typeof operationId === 'string' ? [operationId] : []), `${method} ${path}`];
}

function list(operations: readonly Operation[]): string {
  const lines = operations.slice(0, MAX_LISTED).map((each) => `  ${namesOf(each).join('  ')}`);
  const more = operations.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}
