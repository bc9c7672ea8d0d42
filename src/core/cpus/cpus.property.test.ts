/** What holds of CPUs whatever pods come and go, on every kind of machine and with every set of options. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SAMPLE_MACHINE_NAMES, sampleMachine } from '../../../test/samples/sample-machines.ts';
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import { allocateCpus } from './allocate-cpus.ts';
import { parseCpuState, renderCpuState } from './cpu-checkpoint.ts';
import {
  type CpuPolicy,
  type CpuPolicyOptions,
  createCpuPolicy,
  reservedCores,
  wholePool,
} from './cpu-policy.ts';
import { isSameCpuSet, parseCpuSet, renderCpuSet } from './cpu-set.ts';
import { assignedCpus, type CpuState, checkCpuState, NO_CPU_STATE, returnCpus } from './cpu-state.ts';
import { toCpuTopology } from './cpu-topology.ts';

const RUNS = Number(process.env['CASES'] ?? 200);

const anyOptions = fc
  .record({
    fullCores: fc.boolean(),
    strictReservation: fc.boolean(),
    byCache: fc.boolean(),
    acrossNodes: fc.boolean(),
    acrossCores: fc.boolean(),
    bySocket: fc.boolean(),
  })
  .map(
    (options): CpuPolicyOptions => ({
      ...options,
      acrossCores: options.acrossCores && !options.fullCores && !options.acrossNodes && !options.byCache,
    }),
  );

const anyPolicy = fc
  .record({
    name: fc.constantFrom(...SAMPLE_MACHINE_NAMES),
    options: anyOptions,
    count: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ name, options, count }): CpuPolicy => {
    const topology = toCpuTopology(sampleMachine(name).cpus);
    const policy = createCpuPolicy(topology, { count, cpus: undefined }, options, 'none');
    if ('problem' in policy) throw new Error(policy.problem);
    return policy;
  });

/** A pod that comes, with what its containers ask for and where; or the oldest goes. */
const anyStep = fc.oneof(
  fc.record({
    cpus: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }),
    init: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 2 }),
    place: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  }),
  fc.constant(undefined),
);

function toPod(uid: string, cpus: readonly number[], init: readonly number[]): Pod {
  const container =
    (name: string) =>
    (count: number, index: number): Container => {
      const list = { cpu: String(count), memory: '1Mi' };
      return { name: `${name}${index}`, resources: { limits: list, requests: list } };
    };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers: cpus.map(container('main')), initContainers: init.map(container('init')) },
  };
}

interface History {
  readonly state: CpuState;
  readonly pods: readonly Pod[];
}

/** A pod that cannot have all gets nothing. */
function admit(
  policy: CpuPolicy,
  state: CpuState,
  pod: Pod,
  place: number | undefined,
): CpuState | undefined {
  let next = state;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const allocation = allocateCpus(policy, next, pod, container, place);
    if (!allocation.ok) return undefined;
    next = allocation.state;
  }
  return next;
}

const anyHistory = fc
  .record({ policy: anyPolicy, steps: fc.array(anyStep, { maxLength: 12 }) })
  .map(({ policy, steps }) => {
    const start = checkCpuState(policy, NO_CPU_STATE);
    if ('problem' in start) throw new Error(start.problem);
    const history = steps.reduce<History>(
      ({ state, pods }, step, index) => {
        if (step === undefined) {
          const [oldest, ...rest] = pods;
          return oldest === undefined
            ? { state, pods }
            : { state: returnCpus(state, toPodUid(oldest.metadata.uid)), pods: rest };
        }
        const pod = toPod(`pod-${index}`, step.cpus, step.init);
        const next = admit(policy, state, pod, step.place);
        return next === undefined ? { state, pods } : { state: next, pods: [...pods, pod] };
      },
      { state: start, pods: [] },
    );
    return { policy, ...history };
  });

const holds = (criterion: string, check: (story: { policy: CpuPolicy } & History) => void): void => {
  it(criterion, () => fc.assert(fc.property(anyHistory, check), { numRuns: RUNS }));
};

describe('CPUs of containers', () => {
  holds('a CPU belongs to one pod, and to one of its containers that run together', ({ state, pods }) => {
    const seen = new Set<number>();
    for (const [uid, ofPod] of state.assigned) {
      const pod = pods.find(({ metadata }) => metadata.uid === uid);
      assert.ok(pod !== undefined);
      const main = pod.spec.containers.flatMap(({ name }) => [...(ofPod.get(name) ?? [])]);
      assert.equal(new Set(main).size, main.length);
      for (const cpu of new Set([...ofPod.values()].flatMap((cpus) => [...cpus]))) {
        assert.ok(!seen.has(cpu) && !state.shared.has(cpu));
        seen.add(cpu);
      }
    }
  });

  holds(
    'each container has as many as it asked for, and none that is reserved',
    ({ policy, state, pods }) => {
      for (const pod of pods)
        for (const { name, resources } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
          const own = state.assigned.get(toPodUid(pod.metadata.uid))?.get(name);
          assert.equal(own?.size, Number(resources?.requests?.['cpu']));
          assert.ok(own?.isDisjointFrom(policy.reserved));
        }
    },
  );

  holds('with whole cores only, no core serves two pods', ({ policy, state }) => {
    // A thread beside a reserved one is left over, and may be the last that a place has.
    if (!policy.options.fullCores || reservedCores(policy).size > policy.reserved.size) return;
    for (const ofPod of state.assigned.values()) {
      const own = new Set([...ofPod.values()].flatMap((cpus) => [...cpus]));
      const cores = new Set([...own].map((cpu) => policy.topology.cpus.get(cpu)?.core));
      for (const { cpu, core } of policy.topology.cpus.values()) if (cores.has(core)) assert.ok(own.has(cpu));
    }
  });

  holds('nothing is lost: what is shared and what is assigned is the whole pool', ({ policy, state }) => {
    assert.ok(isSameCpuSet(state.shared.union(assignedCpus(state)), wholePool(policy)));
  });

  holds('what pods had is shared again when all are gone', ({ policy, state, pods }) => {
    const empty = pods.reduce((left, { metadata }) => returnCpus(left, toPodUid(metadata.uid)), state);
    assert.ok(isSameCpuSet(empty.shared, wholePool(policy)));
  });

  holds('the saved state is the same state, and the machine can use it', ({ policy, state, pods }) => {
    const parsed = parseCpuState(renderCpuState('static', state), 'static');
    assert.ok('state' in parsed);
    const checked = checkCpuState(policy, parsed.state);
    assert.deepEqual(renderCpuState('static', checked as CpuState), renderCpuState('static', state));
    for (const pod of pods) assert.equal(admit(policy, parsed.state, pod, undefined), parsed.state);
  });

  it('the text of a set is the set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 200 })), (cpus) => {
        const set = new Set(cpus);
        assert.ok(isSameCpuSet(parseCpuSet(renderCpuSet(set)) ?? new Set([-1]), set));
      }),
    );
  });
});
