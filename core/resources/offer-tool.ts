import type { Offer } from '../catalog/offer.ts';
import type { Tool } from '../catalog/tool.ts';
import type { Limits } from '../config/limits.ts';
import { type CompleterBody, type OfferVersion, offerManifest } from '../plugin/offer-version.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createSandboxedTool } from '../sandbox/sandboxed-tool.ts';
import { readContents } from './contents.ts';
import { answerWith } from './load-resource.ts';

/** A resource or a prompt, as the pipeline runs it: what stands behind it is called like a tool, but is none. */
export function createOfferTool(sandbox: Sandbox, version: OfferVersion, limits: Limits): Tool {
  const { offer, body, manifest, version: hash, locate } = version;
  const shared = { manifest, version: hash, locate, limits };
  if (body.kind === 'own') return { ...shared, origin: 'plugin', offer, run: body.run };
  const reader = createSandboxedTool(sandbox, { ...shared, program: body.program });
  const { completer } = body;
  const whole =
    completer === undefined || offer.kind !== 'resource'
      ? offer
      : { ...offer, completer: createCompleter(sandbox, version, completer, limits) };
  return {
    ...reader,
    offer: whole,
    run: async (run) => read(await reader.run(run), offer, run.argumentsJson),
  };
}

function createCompleter(
  sandbox: Sandbox,
  { manifest, version, locate }: OfferVersion,
  { program, parameters }: CompleterBody,
  limits: Limits,
): Tool {
  const { name: id, description, permissions } = manifest;
  const own = offerManifest({ id, description, permissions, limits: manifest.limits, parameters });
  const returns = { type: 'array', items: { type: 'string' } };
  return createSandboxedTool(sandbox, { manifest: { ...own, returns }, version, program, locate, limits });
}

type Outcome = Awaited<ReturnType<Tool['run']>>;

/** The outcome of a reader's code, with its answer brought into the one form of contents. */
function read(outcome: Outcome, offer: Offer, argumentsJson: string): Outcome {
  if (outcome.kind !== 'value' || offer.kind !== 'resource') return outcome;
  const { usage, json } = outcome;
  const value: unknown = json === undefined ? null : JSON.parse(json);
  if (value === null) {
    const error = { name: 'Error', code: 'NOT_FOUND', message: 'there is nothing under this URI' };
    return { kind: 'thrown', error, usage };
  }
  // Validated by the executor: the URI is always among the arguments.
  const { uri } = JSON.parse(argumentsJson) as { uri: string };
  const contents = readContents(value, { uri, mimeType: offer.mimeType });
  if (!contents.ok) return { kind: 'unserialisable', path: contents.path, message: contents.message, usage };
  return { ...answerWith(contents.contents), usage };
}
