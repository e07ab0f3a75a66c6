import { defineConfig } from 'vitest/config';

const ALL = 'test/**/*.test.ts';

/** Files that load the machine, measure it, or judge what is late: beside others they would disturb, or be disturbed. */
const ALONE = [
  'test/bench/**/*.test.ts',
  'test/sandbox/**/*.test.ts',
  'test/hostile/**/*.test.ts',
  'test/host/attacks*.test.ts',
  'test/host/hot-reload.test.ts',
  'test/plugin/plugin-root.test.ts',
  'test/guest/timers.test.ts',
  'test/guest/differential-events.test.ts',
  'test/adapters/mcp/server/fuzz.test.ts',
  'test/inspect/**/*.test.ts',
  // These build and pack dist/, which others then would not find.
  'test/docs/**/*.test.ts',
  'test/e2e/package/**/*.test.ts',
];

export default defineConfig({
  // A checkout's `glovebox` is its source, not what was built from it.
  resolve: { conditions: ['glovebox-source', 'node', 'import', 'default'] },
  ssr: {
    resolve: {
      conditions: ['glovebox-source', 'node', 'import', 'default'],
      externalConditions: ['glovebox-source', 'node', 'import', 'default'],
    },
  },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Of tests in one file that may run side by side.
    maxConcurrency: 2,
    reporters: ['default', './test/count-reporter.ts'],
    // One group after the other.
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'paired',
          include: [ALL],
          exclude: ['**/node_modules/**', ...ALONE],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
