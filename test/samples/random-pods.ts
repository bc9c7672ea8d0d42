/**
 * Random pods, observations and runs for the laws of this folder; only tests
 * import it. Everything a runtime could plausibly show is in reach: lost
 * sandboxes, half-made and unknown containers, changed definitions.
 */

import fc from 'fast-check';
import type { Container, Pod, PodSpec } from '../../src/core/api/pod.ts';
import { HASH_ANNOTATION } from '../../src/core/model/container-labels.ts';
import { toSandboxId } from '../../src/core/model/ids.ts';
import { compareContainers, compareSandboxes, type ObservedPod } from '../../src/core/model/observed-pod.ts';
import { allContainersOf } from '../../src/core/model/pod-containers.ts';
import type { TerminationCause } from '../../src/core/model/termination.ts';
import { instanceOf } from './sample-facts.ts';
import { NOW_MS, observe, samplePod, sandbox } from './sample-pods.ts';
import type { Run } from './sample-runtime.ts';

const policy = fc.constantFrom('Always', 'OnFailure', 'Never' as const);

/** Probes and own policies are optional; codes 42 and 43 may have rules. */
const ownRules: fc.Arbitrary<Partial<Container>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      restartPolicy: fc.constantFrom('OnFailure', 'Never'),
      restartPolicyRules: fc.constantFrom(
        [],
        [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }] as const,
        [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }] as const,
      ),
    }),
  },
);

const container = (prefix: string) =>
  ownRules.map(
    (rules) =>
      (index: number): Container => ({
        name: `${prefix}-${index}`,
        image: 'app:1',
        ...rules,
      }),
  );

const initContainer = fc.oneof(
  container('init'),
  fc.boolean().map(
    (probed) =>
      (index: number): Container => ({
        name: `side-${index}`,
        image: 'side:1',
        restartPolicy: 'Always',
        ...(probed ? { startupProbe: { tcpSocket: { port: 1 } } } : {}),
      }),
  ),
);

const numbered = (items: readonly ((index: number) => Container)[]): Container[] =>
  items.map((make, index) => make(index));

export const randomSpec: fc.Arbitrary<Partial<PodSpec>> = fc
  .record({
    restartPolicy: policy,
    hostNetwork: fc.boolean(),
    terminationGracePeriodSeconds: fc.integer({ min: 0, max: 60 }),
    init: fc.array(initContainer, { maxLength: 3 }),
    main: fc.array(container('main'), { minLength: 1, maxLength: 3 }),
    debug: fc.boolean(),
  })
  .map(({ init, main, debug, ...spec }) => ({
    ...spec,
    initContainers: numbered(init),
    containers: numbered(main),
    ephemeralContainers: debug ? [{ name: 'debug', image: 'debug:1' }] : [],
  }));

export const randomPod: fc.Arbitrary<Pod> = randomSpec.map((spec) => samplePod(spec));

export function namesOf(pod: Pod): Container[] {
  return allContainersOf(pod);
}

const randomSandbox = fc.record({ ready: fc.boolean(), addressed: fc.boolean(), mode: fc.boolean() });

const randomInstance = fc.record({
  newestState: fc.constantFrom('created', 'running', 'exited', 'unknown' as const),
  olderState: fc.constantFrom('exited', 'created' as const),
  exitCode: fc.constantFrom(0, 1, 42, 137),
  sandbox: fc.nat(2),
  ageMs: fc.integer({ min: 1, max: 700_000 }),
  changed: fc.nat(7),
});

/** What a runtime may show of `pod`: per name at most one instance that is not known to have ended. */
export function randomObservation(pod: Pod): fc.Arbitrary<ObservedPod> {
  const members = namesOf(pod);
  return fc
    .record({
      sandboxes: fc.array(randomSandbox, { maxLength: 3 }),
      instances: fc.array(fc.array(randomInstance, { maxLength: 3 }), {
        minLength: members.length,
        maxLength: members.length,
      }),
    })
    .map(({ sandboxes, instances }) => {
      const boxes = sandboxes.map(({ ready, addressed, mode }, index) =>
        sandbox({
          id: toSandboxId(`sandbox-${index}`),
          attempt: index,
          ready,
          createdAtMs: NOW_MS - 800_000 + index,
          network: { mode: mode ? 'pod' : 'node', reported: true, ips: addressed ? ['10.0.0.7'] : [] },
        }),
      );
      const containers = members.flatMap((member, memberIndex) => {
        if (boxes.length === 0) return [];
        const ages = (instances[memberIndex] ?? []).toSorted((a, b) => b.ageMs - a.ageMs);
        return ages.map((facts, index) => {
          const isNewest = index === ages.length - 1;
          const state = isNewest ? facts.newestState : facts.olderState;
          const made = instanceOf(member, state, {
            id: `${member.name}-${index}`,
            count: index,
            createdAtMs: NOW_MS - facts.ageMs + index / 10,
            sandbox: `sandbox-${facts.sandbox % boxes.length}`,
            details: state === 'exited' ? { exitCode: facts.exitCode, finishedAtMs: NOW_MS - 1 } : {},
          });
          return facts.changed === 0
            ? { ...made, annotations: { ...made.annotations, [HASH_ANNOTATION]: 'changed' } }
            : made;
        });
      });
      return observe(containers.sort(compareContainers), boxes.sort(compareSandboxes));
    });
}

const randomRun: fc.Arbitrary<Run> = fc.constantFrom<Run[]>(0, 1, 42, 'unhealthy');

/** A few runs per container. */
export function randomRuns(pod: Pod): fc.Arbitrary<Record<string, readonly Run[]>> {
  const entries = namesOf(pod).map(({ name }) => [name, fc.array(randomRun, { maxLength: 3 })] as const);
  return fc.record(Object.fromEntries(entries));
}

export const randomCause: fc.Arbitrary<TerminationCause> = fc.constantFrom(
  'completed',
  'deadline',
  'rejected',
  'preempted',
  'shutdown',
  'evicted',
  'deleted',
  'removed',
  'orphaned',
);
