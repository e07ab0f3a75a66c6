import { describe, expect, it } from 'vitest';
import { readManifest, readTool } from '../../core/plugin/read-manifest.ts';
import { compileValidator } from '../../core/schema/validator.ts';
import { CORPUS_NOTE, firstAccepted, HAS_CORPUS, realCalls, realTools } from './real-calls.ts';

describe.skipIf(!HAS_CORPUS)(`real tools from the wild${CORPUS_NOTE}`, () => {
  it('load, or are refused with the path and the reason; all with an object for parameters load and compile', async () => {
    const tools = realTools();
    expect(tools).toHaveLength(966);
    let withObject = 0;
    for (const { source, ...definition } of tools) {
      const reading = readManifest(JSON.stringify(definition), { name: 'fallback' });
      const { parameters } = definition;
      const hasObject = typeof parameters === 'object' && parameters !== null && 'type' in parameters;
      if (hasObject) withObject += 1;
      if (!reading.ok) {
        expect(hasObject, `${source} ${JSON.stringify(reading.problems)}`).toBe(false);
        for (const { path, message } of reading.problems) {
          expect(path).toMatch(/^\/parameters/);
          expect(message).toMatch(/\w{3}/);
        }
        continue;
      }
      expect(await compileValidator(reading.manifest.parameters), source).toMatchObject({ ok: true });
    }
    expect(withObject).toBeGreaterThanOrEqual(894);
  }, 120_000);

  it('accept the calls that their makers accept, but for those that contradict their own schema', async () => {
    let accepted = 0;
    let total = 0;
    for (const { functions, accepted_calls } of realCalls()) {
      for (const [name, args] of accepted_calls.flatMap((call) => Object.entries(call))) {
        total += 1;
        const definition = functions.find((each) => each.name === name);
        const reading = definition === undefined ? undefined : readTool({ ...definition }, { name });
        if (reading?.ok !== true) continue;
        const { parameters } = reading.manifest;
        const compiled = await compileValidator(parameters);
        const required = Array.isArray(parameters.required) ? parameters.required : [];
        if (compiled.ok && compiled.validator.validate(firstAccepted(args, required)).length === 0)
          accepted += 1;
      }
    }
    expect(total).toBe(242);
    expect(accepted).toBeGreaterThanOrEqual(235);
  }, 120_000);
});
