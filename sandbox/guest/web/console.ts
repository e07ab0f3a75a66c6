import { bridge } from './guest-bridge.ts';
import { format, inspect } from './inspect.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

const counts = new Map<string, number>();
const timers = new Map<string, number>();
let indent = '';

function print(level: Level, values: readonly unknown[]): void {
  if (values.length === 0) return;
  const text = format(values);
  bridge().log(level, indent === '' ? text : indent + text.replaceAll('\n', `\n${indent}`));
}

function labelOf(label: unknown): string {
  return label === undefined ? 'default' : String(label);
}

function elapsed(label: string): string | undefined {
  const start = timers.get(label);
  if (start === undefined) {
    print('warn', [`Timer '${label}' does not exist`]);
    return undefined;
  }
  return `${label}: ${(bridge().now() - start).toFixed(3)} ms`;
}

function table(data: unknown, columns?: unknown): void {
  if (typeof data !== 'object' || data === null) return print('info', [data]);
  const wanted = Array.isArray(columns) ? columns.map(String) : undefined;
  const lines = Object.entries(data).map(([index, row]: [string, unknown]) => {
    if (typeof row !== 'object' || row === null) return `${index}\t${inspect(row)}`;
    const cells = Object.entries(row).filter(([name]) => wanted === undefined || wanted.includes(name));
    return `${index}\t${cells.map(([name, cell]) => `${name}=${inspect(cell)}`).join('\t')}`;
  });
  print('info', [lines.join('\n')]);
}

const methods = {
  assert(condition: unknown = false, ...values: unknown[]): void {
    if (condition) return;
    const [first, ...rest] = values;
    if (typeof first === 'string') print('error', [`Assertion failed: ${first}`, ...rest]);
    else print('error', ['Assertion failed', ...values]);
  },
  clear(): void {
    indent = '';
  },
  debug(...values: unknown[]): void {
    print('debug', values);
  },
  error(...values: unknown[]): void {
    print('error', values);
  },
  info(...values: unknown[]): void {
    print('info', values);
  },
  log(...values: unknown[]): void {
    print('info', values);
  },
  table,
  trace(...values: unknown[]): void {
    const stack = new Error(values.length === 0 ? '' : format(values)).stack ?? '';
    print('debug', [stack.replace(/^Error/, 'Trace')]);
  },
  warn(...values: unknown[]): void {
    print('warn', values);
  },
  dir(value: unknown): void {
    print('info', [value]);
  },
  dirxml(...values: unknown[]): void {
    print('info', values);
  },
  count(label?: unknown): void {
    const name = labelOf(label);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    print('info', [`${name}: ${count}`]);
  },
  countReset(label?: unknown): void {
    const name = labelOf(label);
    if (!counts.delete(name)) print('warn', [`Count for '${name}' does not exist`]);
  },
  group(...values: unknown[]): void {
    print('info', values);
    indent += '  ';
  },
  groupCollapsed(...values: unknown[]): void {
    print('info', values);
    indent += '  ';
  },
  groupEnd(): void {
    indent = indent.slice(2);
  },
  time(label?: unknown): void {
    const name = labelOf(label);
    if (timers.has(name)) print('warn', [`Timer '${name}' already exists`]);
    else timers.set(name, bridge().now());
  },
  timeLog(label?: unknown, ...values: unknown[]): void {
    const text = elapsed(labelOf(label));
    if (text !== undefined) print('info', [text, ...values]);
  },
  timeEnd(label?: unknown): void {
    const text = elapsed(labelOf(label));
    if (text !== undefined) print('info', [text]);
    timers.delete(labelOf(label));
  },
};

/** A namespace object: its prototype is an empty object, as the standard has it for history's sake. */
export const console: object = Object.create({}, Object.getOwnPropertyDescriptors(methods)) as object;
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
