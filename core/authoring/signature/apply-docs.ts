import { isRecord } from '../../schema/pointer.ts';
import { readParameterText } from './constraints.ts';
import type { Taken } from './read-defaults.ts';
import type { ParameterDoc } from './read-docs.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Adds what `@param args.city` says to the property; what stands on the property itself comes first. */
export function applyDocs(schema: Schema, docs: ReadonlyMap<string, ParameterDoc>): Schema {
  return mapProperties(schema, (name, property) => {
    const own = docs.get(name);
    const inner = new Map(
      [...docs].flatMap(([path, doc]) =>
        path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), doc] as const] : [],
      ),
    );
    const documented = own === undefined ? property : merge(property, readParameterText(own.text));
    return inner.size === 0 ? documented : applyDocs(documented, inner);
  });
}

/** What the property says itself comes first; only an `integer` is closer than its `number`. */
function merge(property: Schema, said: Schema): Schema {
  const isCloser = said.type === 'integer' && property.type === 'number';
  return { ...said, ...property, ...(isCloser ? { type: 'integer' } : {}) };
}

/** Adds the defaults that code has beside its names; what has one may be left out. */
export function applyDefaults(schema: Schema, taken: ReadonlyMap<string, Taken>): Schema {
  const withDefaults = mapProperties(schema, (name, property) => {
    const found = taken.get(name);
    if (found === undefined) return property;
    const inner = found.inner.size === 0 ? property : applyDefaults(property, found.inner);
    if (!found.value.known || 'default' in inner || found.value.value === undefined) return inner;
    return { ...inner, default: found.value.value };
  });
  return dropRequired(withDefaults, (name) => taken.get(name)?.hasDefault === true);
}

/** Default texts in brackets, `[city='Paris']`, as JavaScript has them. */
export function applyDefaultTexts(schema: Schema, docs: ReadonlyMap<string, ParameterDoc>): Schema {
  const withDefaults = mapProperties(schema, (name, property) => {
    const text = docs.get(name)?.defaultText;
    if (text === undefined || 'default' in property) return property;
    const value = readDefaultText(text);
    return value === undefined ? property : { ...property, default: value };
  });
  return dropRequired(withDefaults, (name) => docs.get(name)?.isOptional === true);
}

function readDefaultText(text: string): unknown {
  const quoted = /^(['"`])(.*)\1$/s.exec(text);
  if (quoted) return quoted[2];
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dropRequired(schema: Schema, isOptional: (name: string) => boolean): Schema {
  if (!Array.isArray(schema.required)) return schema;
  const { required: _required, ...rest } = schema;
  const required = schema.required.filter((name) => !isOptional(String(name)));
  return required.length === 0 ? rest : { ...rest, required };
}

function mapProperties(schema: Schema, change: (name: string, property: Schema) => Schema): Schema {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const changed = Object.entries(properties).map(([name, property]) => [
    name,
    isRecord(property) ? change(name, property) : property,
  ]);
  return { ...schema, properties: Object.fromEntries(changed) };
}
