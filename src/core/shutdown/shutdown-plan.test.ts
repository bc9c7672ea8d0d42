import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { Pod } from '../api/pod.ts';
import { toShutdownPeriods } from './shutdown-periods.ts';
import { planShutdown, toShutdownTermination } from './shutdown-plan.ts';

const PERIODS = [
  { priority: 0, seconds: 10 },
  { priority: 100, seconds: 20 },
  { priority: 2_000_000_000, seconds: 5 },
];

function pod(priority: number | undefined, name = `p${priority}`): Pod {
  return samplePod(priority === undefined ? {} : { priority }, { name, uid: name });
}

const shown = (pods: readonly Pod[], periods = PERIODS): [number, string[]][] =>
  planShutdown(periods, pods).map((group) => [
    group.priority,
    group.pods.map(({ metadata: { name } }) => name),
  ]);

describe('planShutdown', () => {
  const places: [priority: number | undefined, group: number][] = [
    [undefined, 0],
    [-7, 0],
    [0, 0],
    [99, 0],
    [100, 100],
    [101, 100],
    [1_999_999_999, 100],
    [2_000_000_000, 2_000_000_000],
    [2_000_001_000, 2_000_000_000],
  ];
  for (const [priority, group] of places)
    it(`ends a pod of priority ${priority} with group ${group}`, () =>
      assert.deepEqual(shown([pod(priority, 'it')]), [[group, ['it']]]));

  it('leaves out groups without pods', () => {
    assert.deepEqual(shown([]), []);
    assert.deepEqual(shown([pod(2_000_000_000, 'critical'), pod(1, 'usual')]), [
      [0, ['usual']],
      [2_000_000_000, ['critical']],
    ]);
  });

  it('has every pod once, lower groups first, and none before one of a lower priority', () => {
    const priorities = fc.integer({ min: -2_147_483_648, max: 2_000_001_000 });
    const periods = fc.array(fc.record({ priority: priorities, seconds: fc.nat(600) }), { minLength: 1 });
    fc.assert(
      fc.property(periods, fc.array(fc.option(priorities, { nil: undefined })), (byPriority, all) => {
        const sorted = toShutdownPeriods({ totalMs: 0, criticalMs: 0, byPriority });
        const pods = all.map((priority, index) => pod(priority, `pod-${index}`));
        const groups = planShutdown(sorted, pods);
        const planned = groups.flatMap((group) => group.pods);
        assert.deepEqual(new Set(planned), new Set(pods));
        assert.equal(planned.length, pods.length);
        const bounds = groups.map((group) => {
          const own = group.pods.map(({ spec }) => spec.priority ?? 0);
          return [Math.min(...own), Math.max(...own)] as const;
        });
        for (const [index, [lowest]] of bounds.entries())
          assert.ok(index === 0 || lowest > (bounds[index - 1]?.[1] ?? Infinity));
      }),
    );
  });
});

describe('toShutdownTermination', () => {
  const message = 'Pod was terminated in response to imminent node shutdown.';

  it('says why, as a disruption, unless the pod has succeeded', () => {
    assert.deepEqual(toShutdownTermination(samplePod({ terminationGracePeriodSeconds: 30 }), 10), {
      cause: 'shutdown',
      graceSeconds: 10,
      verdict: {
        reason: 'Terminated',
        message,
        unlessSucceeded: true,
        conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }],
      },
    });
  });

  it('never gives more than the pod asks for, nor more than its group has', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), (own, group) => {
        const { graceSeconds } = toShutdownTermination(
          samplePod({ terminationGracePeriodSeconds: own }),
          group,
        );
        assert.equal(graceSeconds, Math.min(own, group));
      }),
    );
  });
});
