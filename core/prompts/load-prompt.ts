import { idOf, type Prompt } from '../catalog/offer.ts';
import { contentHash, versionOf } from '../plugin/content-hash.ts';
import type { LoadOptions } from '../plugin/load-options.ts';
import type { JsonSchema } from '../plugin/manifest.ts';
import { type OfferVersion, offerManifest } from '../plugin/offer-version.ts';
import type { LoadResult } from '../plugin/plugin-version.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { readPluginText } from '../plugin/read-plugin-file.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import type { RunOutcome } from '../sandbox/sandbox.ts';
import { MAX_PROMPT_BYTES, PROMPT_FILE, type PromptManifest, readPrompt } from './read-prompt.ts';
import { fillTemplate } from './template.ts';

/** Characters of all messages together, values filled in. */
export const MAX_PROMPT_CHARS = 1_048_576;

/** Reads a prompt directory. Nothing of it is code: we fill the places ourselves. */
export async function loadPrompt({
  dir,
  defaultName,
  trust,
}: LoadOptions): Promise<LoadResult<OfferVersion>> {
  const failed = (problems: readonly LoadProblem[]): LoadResult<OfferVersion> => ({
    ...{ ok: false, kind: 'prompt', name: idOf('prompt', defaultName), problems, lacksPackage: false },
  });
  const text = await readPluginText(dir, PROMPT_FILE, trust, MAX_PROMPT_BYTES);
  if (!text.ok) return failed([{ file: PROMPT_FILE, message: text.message }]);
  const read = await readPrompt(text.text, { name: defaultName });
  if (!read.ok) return failed(read.problems);
  const { messages, ...facts } = read.manifest;
  const offer: Prompt = { kind: 'prompt', ...facts };
  const { title, description } = facts;
  const manifest = offerManifest({
    ...{ id: idOf('prompt', facts.name), description, parameters: parametersOf(facts.arguments) },
    ...(title === undefined ? {} : { title }),
  });
  const digests = {
    code: contentHash(text.text),
    description: contentHash(JSON.stringify([title, description])),
    schema: contentHash(JSON.stringify(facts)),
    permissions: contentHash(JSON.stringify(manifest.permissions)),
  };
  const run = async ({ argumentsJson }: { readonly argumentsJson: string }) => fill(messages, argumentsJson);
  const plugin: OfferVersion = {
    ...{ dir, trust, manifest, offer, digests, warnings: read.warnings, outside: [] },
    version: versionOf(JSON.stringify([digests, manifest])),
    body: { kind: 'own', run },
    locate: () => undefined,
  };
  return { ok: true, plugin };
}

function parametersOf(args: Prompt['arguments']): JsonSchema {
  const properties = args.map(({ name, description }) => {
    const described = description === undefined ? {} : { description };
    return [name, { type: 'string', ...described }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function fill(messages: PromptManifest['messages'], argumentsJson: string): RunOutcome {
  const usage = NO_USAGE;
  // Validated by the executor against the schema above.
  const values = JSON.parse(argumentsJson) as Readonly<Record<string, unknown>>;
  const filled = fillTemplate(messages, values, MAX_PROMPT_CHARS);
  if (filled === undefined) {
    const detail = `the messages would have more than ${MAX_PROMPT_CHARS} characters`;
    return { kind: 'stopped', reason: 'output_limit', started: true, detail, usage };
  }
  return { kind: 'value', json: JSON.stringify({ messages: filled }), usage };
}
