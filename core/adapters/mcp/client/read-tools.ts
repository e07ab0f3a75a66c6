import { createHash } from 'node:crypto';
import type { LockSubject } from '../../../permissions/index.ts';
import { canonicalJson } from '../../../permissions/lock-entry.ts';
import type { Manifest, Warning } from '../../../plugin/manifest.ts';
import type { LoadProblem } from '../../../plugin/problem.ts';
import { readTool } from '../../../plugin/read-manifest.ts';
import { MAX_SCHEMA_BYTES, measureJson } from '../../../schema/caps.ts';
import { isRecord } from '../../../schema/pointer.ts';
import { compileValidator } from '../../../schema/validator.ts';
import { findHeaderProblem } from './header-declarations.ts';

/** Tools of one server that are brought in; a model could not choose among more anyway. */
export const MOST_TOOLS = 512;

/** One tool of a server, read and found to be usable. */
export interface ServerTool {
  /** As the server calls it. */
  readonly ownName: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly manifest: Manifest;
  readonly warnings: readonly Warning[];
  /** Changes with everything about it that counts. */
  readonly version: string;
  readonly subject: LockSubject;
}

export type ReadServerTool =
  | { readonly ok: true; readonly tool: ServerTool }
  /** `name`: what to show it as, the server's name included. */
  | { readonly ok: false; readonly name: string; readonly problems: readonly LoadProblem[] };

export interface ReadToolsOptions {
  readonly server: string;
  /** Is a tool of this own name wanted? */
  readonly accepts: (ownName: string) => boolean;
  /** Must what goes into headers be declared rightly? */
  readonly mirrorsHeaders: boolean;
}

/** Reads what a server lists, each tool for itself: a bad one has its problem, and the others go on. */
export async function readTools(
  list: readonly unknown[],
  { server, accepts, mirrorsHeaders }: ReadToolsOptions,
): Promise<readonly ReadServerTool[]> {
  const counts = new Map<unknown, number>();
  for (const raw of list) {
    const name = isRecord(raw) ? raw.name : undefined;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const tools: ReadServerTool[] = [];
  const shown = new Set<unknown>();
  for (const [index, raw] of list.entries()) {
    const name = isRecord(raw) ? raw.name : undefined;
    if (typeof name === 'string' && !accepts(name)) continue;
    if (typeof name === 'string' && (counts.get(name) ?? 0) > 1) {
      if (!shown.has(name)) tools.push(refused(server, name, 'the server lists several tools of this name'));
      shown.add(name);
      continue;
    }
    tools.push(await readOne(raw, index, server, mirrorsHeaders));
    // Compiling holds up the event loop for about a millisecond a tool.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return tools;
}

async function readOne(
  raw: unknown,
  index: number,
  server: string,
  mirrorsHeaders: boolean,
): Promise<ReadServerTool> {
  if (!isRecord(raw)) return refused(server, `#${index + 1}`, 'it is no object');
  const { name } = raw;
  if (typeof name !== 'string' || name === '') return refused(server, `#${index + 1}`, 'it has no name');
  const definition = pickDefinition(raw);
  const measured = measureJson(definition);
  if (!measured.ok) return refused(server, name, at(measured.problem.path, measured.problem.message));
  const text = canonicalJson(definition);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES)
    return refused(server, name, `it is longer than ${MAX_SCHEMA_BYTES} bytes`);
  const { inputSchema } = raw;
  if (!isRecord(inputSchema)) return refused(server, name, 'it has no inputSchema');
  const headerProblem = mirrorsHeaders ? findHeaderProblem(inputSchema) : undefined;
  if (headerProblem !== undefined) return refused(server, name, headerProblem);
  const reading = readTool({ ...definition, name: `${server}.${name}` }, { name: server });
  if (!reading.ok)
    return refused(server, name, ...reading.problems.map(({ path, message }) => at(path, message)));
  const { manifest, warnings } = reading;
  for (const part of ['parameters', 'returns'] as const) {
    const compiled = await compileValidator(manifest[part] ?? {});
    if (!compiled.ok)
      return refused(server, name, ...compiled.problems.map(({ path, message }) => at(path, message)));
  }
  const hash = createHash('sha256').update(text).digest('hex');
  return {
    ok: true,
    tool: {
      ownName: name,
      inputSchema,
      manifest,
      warnings,
      version: hash.slice(0, 16),
      // The code runs elsewhere: nobody here can tell whether it is the same.
      subject: { manifest, digests: { code: NO_CODE, schema: hash } },
    },
  };
}

const NO_CODE = createHash('sha256').update('mcp').digest('hex');

/** What a model or a caller sees of a tool. Icons, `_meta` and whatever else there is mean nothing here. */
function pickDefinition(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { name, title, description, inputSchema, outputSchema, annotations } = raw;
  const picked = { name, title, description, inputSchema, outputSchema, annotations };
  return Object.fromEntries(
    Object.entries(picked).filter(([, value]) => value !== undefined && value !== null),
  );
}

function refused(server: string, name: string, ...messages: readonly string[]): ReadServerTool {
  // Quoted where it could be taken for another tool's name.
  const shown = /^[\w./-]{1,100}$/.test(name) ? name : JSON.stringify(name.slice(0, 100));
  return {
    ok: false,
    name: `${server}.${shown}`,
    problems: messages.slice(0, 20).map((message) => ({ message })),
  };
}

function at(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`;
}
