import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readSchemaOf } from '../authoring/from-code/schema-of-file.ts';
import { parseJsonText } from '../config/json-text.ts';
import { isRecord } from '../schema/pointer.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { relative } from './find-plugins.ts';
import { splitReference } from './new.ts';
import { note, oneLine, print, say } from './output.ts';

export interface SchemaOptions {
  readonly write?: boolean;
}

/** `glovebox schema FILE`. */
export async function schema(reference: string, { write = false }: SchemaOptions): Promise<number> {
  const { file, part } = await splitReference(reference);
  const read = await readSchemaOf(file, part);
  if (!read.ok) {
    for (const { file: where, line, column, message } of read.problems) {
      const place = [relative(path.resolve(path.dirname(file), where ?? file)), line, column].filter(
        (each) => each !== undefined,
      );
      say(oneLine(`${place.join(':')}: ${message}`));
    }
    return ExitCode.failed;
  }
  for (const warning of read.warnings) note(oneLine(`${relative(file)}: ${warning}`));
  const isPlugin = read.style === 'object';
  if (!isPlugin)
    note(
      'It takes its arguments one after the other, a plugin takes one object: "glovebox new NAME --from FILE" makes one of it.',
    );
  if (!write) {
    await print(`${JSON.stringify(read.manifest, null, 2)}\n`);
    return ExitCode.ok;
  }
  if (!isPlugin) return ExitCode.failed;
  const target = path.join(path.dirname(file), 'schema.json');
  const text = await merged(target, read.manifest);
  await writeFile(target, text);
  await print(`${oneLine(relative(target))}\n`);
  return ExitCode.ok;
}

/** Permissions, limits and the like are not in a signature: what stands in the file and is not read out of code stays. */
async function merged(target: string, manifest: Readonly<Record<string, unknown>>): Promise<string> {
  const old = await readFile(target, 'utf8').catch(() => undefined);
  if (old === undefined) return `${JSON.stringify(manifest, null, 2)}\n`;
  const json = parseJsonText(old);
  if (!json.ok)
    throw new UsageError(
      `${relative(target)}:${json.position.line}: ${json.message}; put it right or delete it`,
    );
  if (!isRecord(json.value))
    throw new UsageError(`${relative(target)}: holds no object; put it right or delete it`);
  const said = Object.entries(manifest).filter(([, value]) => value !== '');
  return `${JSON.stringify({ ...json.value, ...Object.fromEntries(said) }, null, 2)}\n`;
}
