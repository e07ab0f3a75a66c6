import { readFile, stat } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import { isRecord, pointerKeys } from '../../schema/pointer.ts';

type Raw = Readonly<Record<string, unknown>>;

/** What is wrong with a document, or can't be made of it. Thrown by the readers here; draft-from-openapi.ts catches it. */
export class OpenApiError extends Error {
  override readonly name = 'OpenApiError';
}

const MAX_BYTES = 10 * 1024 * 1024;
const MAX_HOPS = 20;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An OpenAPI 3 document: looked into by reference, never followed out of. */
export class OpenApiDocument {
  readonly root: Raw;
  /** 3.0 has a dialect of its own; from 3.1 on schemas are JSON Schema. */
  readonly isOldDialect: boolean;

  private constructor(root: Raw, isOldDialect: boolean) {
    this.root = root;
    this.isOldDialect = isOldDialect;
  }

  /** @throws OpenApiError */
  static async read(file: string): Promise<OpenApiDocument> {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new OpenApiError(`it has ${size} bytes; the most is ${MAX_BYTES}`);
    const root = parse(await readFile(file, 'utf8'));
    if (!isRecord(root)) throw new OpenApiError('it holds no object');
    if (typeof root.swagger === 'string')
      throw new OpenApiError(`it is Swagger ${root.swagger}: convert it to OpenAPI 3 first`);
    const version = String(root.openapi);
    if (!/^3\.[012](\.|$)/.test(version))
      throw new OpenApiError(
        root.openapi === undefined
          ? 'it is no OpenAPI document: it has no "openapi"'
          : `OpenAPI ${version} is not known here; 3.0 and 3.1 are`,
      );
    return new OpenApiDocument(root, version.startsWith('3.0'));
  }

  /** The object itself, or what its `$ref` leads to. */
  resolve(value: unknown): Raw {
    let current = value;
    for (let hops = 0; hops < MAX_HOPS; hops += 1) {
      if (!isRecord(current)) return {};
      const { $ref } = current;
      if (typeof $ref !== 'string') return current;
      const target = this.target($ref);
      // 3.1 lets a summary and a description stand beside a reference.
      const { $ref: _reference, ...beside } = current;
      current = isRecord(target) ? { ...target, ...beside } : target;
    }
    throw new OpenApiError('a $ref leads in a circle');
  }

  target(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new OpenApiError(
        `"$ref": "${reference}" leads out of the document, and nothing is fetched: bundle it into one file first`,
      );
    let value: unknown = this.root;
    for (const key of pointerKeys(decodePointer(reference.slice(1)))) {
      const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
      value = isThere ? Reflect.get(Object(value), key) : undefined;
    }
    if (value === undefined) throw new OpenApiError(`"$ref": "${reference}" leads nowhere`);
    return value;
  }

  /** Every operation there is. */
  operations(): Operation[] {
    const paths = isRecord(this.root.paths) ? this.root.paths : {};
    return Object.entries(paths).flatMap(([path, written]) => {
      const item = this.resolve(written);
      return METHODS.flatMap((method) => {
        const operation = item[method];
        return isRecord(operation) ? [{ method: method.toUpperCase(), path, item, operation }] : [];
      });
    });
  }
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  /** The path item, with what all of its operations share. */
  readonly item: Raw;
  readonly operation: Raw;
}

function parse(text: string): unknown {
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : parseYaml(text);
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new OpenApiError(`it can't be read: ${first}`);
  }
}

function decodePointer(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
