import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveFeatureGates } from '../config/features.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';
import { toCrashLoopPolicy } from './crash-loop-policy.ts';

describe('toCrashLoopPolicy', () => {
  const rows: [configured: string | undefined, isReduced: boolean, initialMs: number, maxMs: number][] = [
    ['5m0s', false, 10_000, 300_000],
    ['1m30s', false, 10_000, 90_000],
    ['2s', false, 2_000, 2_000],
    // The gate lowers the maximum only where none was set or defaulted.
    ['5m0s', true, 1_000, 300_000],
    [undefined, true, 1_000, 60_000],
    [undefined, false, 10_000, 300_000],
  ];
  for (const [maxContainerRestartPeriod, isReduced, initialMs, maxMs] of rows)
    it(`${maxContainerRestartPeriod} ${isReduced ? 'reduced' : ''}: ${initialMs} to ${maxMs} ms`, () => {
      const config = { crashLoopBackOff: { maxContainerRestartPeriod } } as unknown as KubeletConfiguration;
      const features = resolveFeatureGates({ ReduceDefaultCrashLoopBackOffDecay: isReduced }).gates;
      assert.deepEqual(toCrashLoopPolicy({ config, features }), {
        initialMs,
        maxMs,
        factor: 2,
        forgetAfterMs: 600_000,
      });
    });
});
