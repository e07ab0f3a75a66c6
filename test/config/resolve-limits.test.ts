import { expect, it } from 'vitest';
import { DEFAULT_CEILINGS, DEFAULT_LIMITS, resolveLimits } from '../../core/config/index.ts';

it('gives the defaults to a plugin that sets nothing', () => {
  expect(resolveLimits(DEFAULT_LIMITS, DEFAULT_CEILINGS)).toEqual({ limits: DEFAULT_LIMITS, warnings: [] });
});

it("lets a plugin's own limits go below and above the defaults, up to the ceiling", () => {
  const { limits, warnings } = resolveLimits(DEFAULT_LIMITS, DEFAULT_CEILINGS, {
    cpuMs: 5,
    timeoutMs: 60_000,
  });
  expect(limits).toEqual({ ...DEFAULT_LIMITS, cpuMs: 5, timeoutMs: 60_000 });
  expect(warnings).toEqual([]);
});

it('cuts what a plugin asks for at the ceiling and says so', () => {
  const { limits, warnings } = resolveLimits(DEFAULT_LIMITS, DEFAULT_CEILINGS, { memoryMb: 4_096 });
  expect(limits.memoryMb).toBe(DEFAULT_CEILINGS.memoryMb);
  expect(warnings).toEqual([
    { path: '/limits/memoryMb', message: expect.stringContaining('ceiling of 512') },
  ]);
});

it('cuts a default that is above the ceiling without blaming the plugin', () => {
  const { limits, warnings } = resolveLimits(DEFAULT_LIMITS, { ...DEFAULT_CEILINGS, queue: 3 });
  expect(limits.queue).toBe(3);
  expect(warnings).toEqual([]);
});
