import { defineConfig } from 'vitest/config';

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
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Two cores: tests that put the machine under load must not disturb each other.
    fileParallelism: false,
    pool: 'forks',
    reporters: ['default', './test/count-reporter.ts'],
  },
});
