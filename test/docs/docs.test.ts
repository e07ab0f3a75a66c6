import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { answeringModel } from './answering-model.ts';
import { createProject } from './project.ts';
import { readBlocks } from './read-blocks.ts';
import { runDocument } from './run-document.ts';

const checkout = path.join(import.meta.dirname, '../..');
const documents = [
  'README.md',
  ...readdirSync(path.join(checkout, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

// The documents use the package by its name, which means what was built.
beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/build.ts'], { cwd: checkout });
}, 60_000);

describe('every block of every document does what it says', () => {
  it.concurrent.each(documents)(
    '%s',
    async (document) => {
      const blocks = readBlocks(await readFile(path.join(checkout, document), 'utf8'));
      await using model = await answeringModel();
      await using project = await createProject({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' });
      await runDocument(blocks, project);
      expect(blocks.every(({ line }) => line > 0)).toBe(true);
    },
    180_000,
  );
});
