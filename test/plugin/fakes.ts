import type { Tool } from '../../core/catalog/tool.ts';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import type { LoadOptions } from '../../core/plugin/load-options.ts';
import type { AnyVersion } from '../../core/plugin/offer-version.ts';

/** A sandbox that finds every program good: these tests are about what comes before it. */
export const trusting: Pick<LoadOptions, 'probe' | 'limitsOf'> = {
  probe: async () => ({ ok: true }),
  limitsOf: () => DEFAULT_LIMITS,
};

/** A tool that can be looked up, but not run. */
export function fakeTool({ manifest, version, locate }: AnyVersion): Tool {
  return {
    manifest,
    version,
    origin: 'plugin',
    limits: DEFAULT_LIMITS,
    locate,
    run: () => Promise.reject(new Error('no test runs it')),
  };
}
