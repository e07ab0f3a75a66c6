import { isRecord } from '../../schema/pointer.ts';
import { type OpenApiDocument, OpenApiError, type Operation } from './document.ts';

/** The address that requests go to, without a slash at its end: the one given, or the first that is named. */
export function readServer(
  document: OpenApiDocument,
  { item, operation }: Operation,
  given?: string,
): string {
  const listed = [operation.servers, item.servers, document.root.servers].find(
    (servers) => Array.isArray(servers) && servers.length > 0,
  );
  const [first] = Array.isArray(listed) ? listed : [];
  const written = given ?? (isRecord(first) ? fillVariables(first) : undefined);
  const url = written === undefined ? null : URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const what =
      written === undefined ? 'it names no server' : `its server, "${written}", is no address by itself`;
    throw new OpenApiError(`${what}: say which with --server https://...`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new OpenApiError(`its server, "${written}", must be an address without a user, a query or a #`);
  return url.href.replace(/\/+$/, '');
}

function fillVariables({ url, variables }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof url !== 'string') return undefined;
  return url.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const variable = isRecord(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isRecord(variable) && variable.default !== undefined ? String(variable.default) : whole;
  });
}
