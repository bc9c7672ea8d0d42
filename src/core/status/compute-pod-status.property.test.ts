/**
 * Laws of the pod status over random pods and random sequences of runtime
 * observations, including sequences no sane runtime would produce.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  exited,
  instance,
  NOW_MS,
  observe,
  samplePod,
  sandbox,
  sidecar,
  statusInput,
} from '../../../test/samples/sample-pods.ts';
import type { Container, Pod, PodRestartPolicy } from '../api/pod.ts';
import type { ContainerStatus, PodStatus } from '../api/pod-status.ts';
import { compareContainers, type ObservedContainer, type ObservedPod } from '../model/observed-pod.ts';
import type { ProbeOutcome } from '../model/probe-results.ts';
import { computePodStatus, type StatusInput } from './compute-pod-status.ts';
import { isTerminalPhase } from './phase.ts';
import { isSameStatus } from './status-guards.ts';

const NAMES = ['init', 'side', 'main', 'other'] as const;
const policy = fc.constantFrom<PodRestartPolicy>('Always', 'OnFailure', 'Never');
const maybeProbe = fc.constantFrom<Partial<Container>>({}, { readinessProbe: {} }, { startupProbe: {} });
const maybeRule = fc.constantFrom<Partial<Container>>(
  {},
  {},
  {
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [2] } }],
  },
);

const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    restartPolicy: policy,
    init: fc.boolean(),
    side: fc.boolean(),
    probe: maybeProbe,
    rule: maybeRule,
    deleted: fc.boolean(),
  })
  .map(({ restartPolicy, init, side, probe, rule, deleted }) =>
    samplePod(
      {
        restartPolicy,
        initContainers: [...(init ? [{ name: 'init' }] : []), ...(side ? [sidecar('side', probe)] : [])],
        containers: [
          { name: 'other', ...probe },
          { name: 'main', ...rule },
        ],
      },
      deleted ? { metadata: { deletionTimestamp: '2026-01-02T03:00:00Z' } } : {},
    ),
  );

const anyInstance: fc.Arbitrary<ObservedContainer> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    serial: fc.nat(3),
    state: fc.constantFrom<ObservedContainer['state']>('created', 'running', 'exited', 'unknown'),
    exitCode: fc.nat(2),
    count: fc.nat(3),
  })
  .map(({ name, serial, state, exitCode, count }) => {
    const options = { id: `${name}-${serial}`, count, createdAtMs: NOW_MS - 100_000 + serial * 1_000 };
    return state === 'exited' ? exited(name, exitCode, options) : instance(name, state, options);
  });

const anyObserved: fc.Arbitrary<ObservedPod> = fc
  .record({
    containers: fc.uniqueArray(anyInstance, { selector: ({ id }) => id, maxLength: 8 }),
    ready: fc.boolean(),
  })
  .map(({ containers, ready }) => observe(containers.toSorted(compareContainers), [sandbox({ ready })]));

const anyStep: fc.Arbitrary<Partial<StatusInput>> = fc
  .record({
    observed: anyObserved,
    ended: fc.boolean(),
    failing: fc.subarray([...NAMES]),
    outcome: fc.constantFrom<ProbeOutcome | undefined>('success', 'failure', 'unknown', undefined),
  })
  .map(({ observed, ended, failing, outcome }) => ({
    observed,
    ended,
    waitingReasons: new Map(failing.map((name) => [name, { reason: 'CrashLoopBackOff', message: 'later' }])),
    probes: { get: () => outcome },
  }));

const anyRun = fc.record({ pod: anyPod, steps: fc.array(anyStep, { minLength: 1, maxLength: 6 }) });

/** Every status with the one before it. */
function play(
  pod: Pod,
  steps: readonly Partial<StatusInput>[],
): (readonly [PodStatus | undefined, PodStatus])[] {
  let previous: PodStatus | undefined;
  return steps.map((step, index) => {
    const before = previous;
    previous = computePodStatus(
      statusInput({ pod, ...step, previous: before, nowMs: NOW_MS + index * 5_000 }),
    );
    return [before, previous] as const;
  });
}

const allContainers = (status: PodStatus | undefined): readonly ContainerStatus[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

describe('computePodStatus, laws', () => {
  it('restart counts never fall', () => {
    fc.assert(
      fc.property(anyRun, ({ pod, steps }) => {
        for (const [before, after] of play(pod, steps)) {
          for (const { name, restartCount } of allContainers(before)) {
            const next = allContainers(after).find((status) => status.name === name);
            assert.ok(next !== undefined && next.restartCount >= restartCount, `${name} fell`);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a terminal phase is never left', () => {
    fc.assert(
      fc.property(anyRun, ({ pod, steps }) => {
        for (const [before, after] of play(pod, steps)) {
          if (isTerminalPhase(before?.phase)) assert.equal(after.phase, before.phase);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a pod first turns terminal when no container runs', () => {
    let seen = 0;
    fc.assert(
      fc.property(anyPod, anyStep, (pod, step) => {
        const status = computePodStatus(statusInput({ pod, ...step }));
        if (!isTerminalPhase(status.phase)) return;
        seen += 1;
        assert.ok(!step.observed?.containers.some(({ state }) => state === 'running'));
      }),
      { numRuns: 2_000 },
    );
    assert.ok(seen > 10, `only ${seen} terminal pods were made`);
  });

  it('the time of a condition changes only with its status', () => {
    fc.assert(
      fc.property(anyRun, ({ pod, steps }) => {
        play(pod, steps).forEach(([before, after], index) => {
          const now = new Date(NOW_MS + index * 5_000).toISOString().replace('.000', '');
          for (const { type, status, lastTransitionTime } of after.conditions ?? []) {
            const old = before?.conditions?.find((condition) => condition.type === type);
            const expected = old?.status === status ? old.lastTransitionTime : now;
            assert.equal(lastTransitionTime, expected, type);
          }
        });
      }),
      { numRuns: 300 },
    );
  });

  it('is idempotent when fed its own output', () => {
    fc.assert(
      fc.property(anyRun, ({ pod, steps }) => {
        const [, status] = play(pod, steps).at(-1) ?? [];
        const last = steps.at(-1);
        assert.ok(status !== undefined && last !== undefined);
        const input = statusInput({ pod, ...last, previous: status, nowMs: NOW_MS + 600_000 });
        const again = computePodStatus(input);
        assert.ok(isSameStatus(status, again), JSON.stringify({ status, again }, null, 1));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a container is ready only while it runs, and the pod only while all are', () => {
    fc.assert(
      fc.property(anyRun, ({ pod, steps }) => {
        for (const [, after] of play(pod, steps)) {
          const regular = after.containerStatuses ?? [];
          for (const { ready, state } of regular) assert.ok(!ready || state.running !== undefined);
          const podReady = after.conditions?.some(
            ({ type, status }) => type === 'Ready' && status === 'True',
          );
          if (podReady === true) assert.ok(regular.every(({ ready }) => ready));
        }
      }),
      { numRuns: 300 },
    );
  });
});
