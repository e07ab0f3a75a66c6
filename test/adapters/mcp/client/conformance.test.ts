import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const SUITE = path.resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const CLIENT = path.join(import.meta.dirname, 'conformance-client.ts');
const BASELINE = path.join(import.meta.dirname, 'conformance-expected-failures.yml');

/** The client scenarios of one revision, as the suite itself lists them; those of OAuth fail, as the baseline says. */
async function scenariosOf(version: string): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [SUITE, 'list', '--client']);
  return [...stdout.matchAll(/^ {2}- (\S+) \[([^\]]*)\]/gm)]
    .filter(([, name, versions]) => versions?.split(',').includes(version) && !name?.startsWith('auth/'))
    .map(([, name]) => name ?? '');
}

describe.each(['2025-11-25', '2026-07-28'])('the conformance suite at %s', async (version) => {
  const scenarios = await scenariosOf(version);

  test('has scenarios for a client', () => {
    expect(scenarios).toContain('tools_call');
  });

  test.each(scenarios)('%s passes, or its failure is expected and justified', async (scenario) => {
    const client = `${process.execPath} ${CLIENT}`;
    const options = ['--command', client, '--scenario', scenario, '--spec-version', version];
    // Exit code 0: passed, or failed as the baseline says; a baseline that is too pessimistic is an error too.
    const { stdout, stderr } = await run(process.execPath, [
      SUITE,
      'client',
      ...options,
      '--expected-failures',
      BASELINE,
    ]);
    // A scenario that was skipped would end with 0 too.
    expect(`${stdout}${stderr}`).toContain('OVERALL');
  });
});
