import { MANIFEST_KEYS } from '../../plugin/manifest.ts';

const DIALECT = 'draft-2020-12';

/**
 * An entry whose function tells what the plugin exports of its manifest. It runs in the sandbox: a schema library's own
 * code makes JSON Schema of its schemas there, and only the text of that comes out.
 */
export function exportsStub(entry: string, hasZod: boolean): string {
  // zod 4.0 and 4.1 can convert, but their schemas don't offer it by themselves.
  const zod = hasZod
    ? `import { toJSONSchema as convert } from 'zod/v4/core';`
    : 'const convert = undefined;';
  return `${zod}
import * as plugin from ${JSON.stringify(`./${entry}`)};
const schemaOf = (key, value, io) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  const standard = value['~standard'];
  if (standard?.jsonSchema?.[io]) return standard.jsonSchema[io]({ target: ${JSON.stringify(DIALECT)} });
  if ('_zod' in value && convert) return convert(value, { io, target: ${JSON.stringify(DIALECT)} });
  if (standard || '_def' in value) throw new TypeError('"' + key + '" is a schema that can not be told as JSON Schema: use zod 4, another library with Standard JSON Schema, or a JSON Schema');
  return value;
};
const describe = () => {
  const found = {};
  for (const key of ${JSON.stringify(MANIFEST_KEYS)}) {
    const value = plugin[key];
    const isSchema = key === 'parameters' || key === 'returns';
    if (value === undefined || (typeof value === 'function' && !isSchema)) continue;
    found[key] = isSchema ? schemaOf(key, value, key === 'parameters' ? 'input' : 'output') : value;
  }
  return found;
};
__plugin = { __proto__: null, default: describe };`;
}
