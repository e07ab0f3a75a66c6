import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one plain line that any CI can read: `N passed, N failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) counts[test.result().state] += 1;
      // A file that could not even be read has no tests to count.
      if (tests.length === 0 && module.state() === 'failed') counts.failed += 1;
    }
    const skipped = counts.skipped + counts.pending;
    if (skipped > 0) process.stdout.write(`\n${skipped} skipped`);
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed\n`);
  }
}
