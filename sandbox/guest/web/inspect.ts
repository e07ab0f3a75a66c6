/** Values as text for the console: bounded, and never throwing. */

const MAX_DEPTH = 3;
const MAX_ITEMS = 100;
const MAX_STRING = 10_000;

export function inspect(value: unknown): string {
  return show(value, 0, new Set());
}

function show(value: unknown, depth: number, path: Set<object>): string {
  try {
    if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(cut(value));
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'symbol') return String(value);
    if (Object.is(value, -0)) return '-0';
    if (typeof value === 'function') return value.name === '' ? '[Function]' : `[Function: ${value.name}]`;
    if (typeof value !== 'object' || value === null) return String(value);
    return showObject(value, depth, path);
  } catch {
    return '[unreadable]';
  }
}

function cut(text: string): string {
  return text.length > MAX_STRING ? `${text.slice(0, MAX_STRING)}...` : text;
}

function showObject(value: object, depth: number, path: Set<object>): string {
  if (path.has(value)) return '[Circular]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return showError(value, depth, path);
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[Array]' : `[${nameOf(value) || 'Object'}]`;
  path.add(value);
  try {
    return showMembers(value, depth, path);
  } finally {
    path.delete(value);
  }
}

function showError(error: Error, depth: number, path: Set<object>): string {
  const text = cut(String(error.stack ?? `${error.name}: ${error.message}`));
  if (error.cause === undefined || depth >= MAX_DEPTH || path.has(error)) return text;
  path.add(error);
  return `${text}\n  [cause]: ${show(error.cause, depth + 1, path)}`;
}

function showMembers(value: object, depth: number, path: Set<object>): string {
  const inner = (item: unknown): string => show(item, depth + 1, path);
  if (Array.isArray(value)) return wrap('', '[', value.slice(0, MAX_ITEMS).map(inner), ']', value.length);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = Array.from(value as Uint8Array).slice(0, MAX_ITEMS); // any typed array
    return wrap(
      `${nameOf(value)}(${(value as Uint8Array).length}) `,
      '[',
      items.map(String),
      ']',
      (value as Uint8Array).length,
    );
  }
  if (value instanceof Map) {
    const entries = [...value].slice(0, MAX_ITEMS).map(([key, item]) => `${inner(key)} => ${inner(item)}`);
    return wrap(`Map(${value.size}) `, '{', entries, '}', value.size);
  }
  if (value instanceof Set) {
    return wrap(`Set(${value.size}) `, '{', [...value].slice(0, MAX_ITEMS).map(inner), '}', value.size);
  }
  const keys = Object.keys(value);
  const members = keys.slice(0, MAX_ITEMS).map((key) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    const getter = Object.getOwnPropertyDescriptor(value, key)?.get;
    return `${name}: ${getter === undefined ? inner(Reflect.get(value, key)) : '[Getter]'}`;
  });
  const name = nameOf(value);
  const prefix = name === 'Object' ? '' : name === '' ? '[Object: null prototype] ' : `${name} `;
  return wrap(prefix, '{', members, '}', keys.length);
}

function wrap(prefix: string, open: string, items: readonly string[], close: string, total: number): string {
  const more = total > items.length ? [`... ${total - items.length} more`] : [];
  const all = [...items, ...more];
  if (all.length === 0) return `${prefix}${open}${close}`;
  return open === '[' ? `${prefix}[ ${all.join(', ')} ]` : `${prefix}{ ${all.join(', ')} }`;
}

function nameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null) return '';
  const constructor: unknown = Reflect.get(value, 'constructor');
  return typeof constructor === 'function' ? constructor.name : 'Object';
}

/** The console standard's "Formatter": `%s`, `%d`, `%i`, `%f`, `%o`, `%O`, `%c`, `%%`. */
export function format(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== 'string' || rest.length === 0) return values.map(inspect).join(' ');
  let used = 0;
  const text = first.replace(/%[sdifoOcj%]/g, (specifier) => {
    if (specifier === '%%') return '%';
    if (used >= rest.length) return specifier;
    const value = rest[used++];
    return formatOne(specifier, value);
  });
  return [text, ...rest.slice(used).map(inspect)].join(' ');
}

function formatOne(specifier: string, value: unknown): string {
  if (specifier === '%s') return inspect(value);
  if (specifier === '%c') return '';
  if (specifier === '%d' || specifier === '%i') {
    if (typeof value === 'bigint') return `${value}n`;
    return typeof value === 'symbol'
      ? 'NaN'
      : String(specifier === '%d' ? Number(value) : Number.parseInt(String(value), 10));
  }
  if (specifier === '%f') return typeof value === 'symbol' ? 'NaN' : String(Number.parseFloat(String(value)));
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value);
}
