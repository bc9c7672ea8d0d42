/** What holds of the memory of NUMA nodes whatever pods come and go. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SAMPLE_MACHINE_NAMES, sampleMachine } from '../../../test/samples/sample-machines.ts';
import type { Container, Pod } from '../api/pod.ts';
import { toPodUid } from '../model/ids.ts';
import { allocateMemory } from './allocate-memory.ts';
import { checkMemoryState } from './check-memory-state.ts';
import { parseMemoryState, renderMemoryState } from './memory-checkpoint.ts';
import { toMemoryHints } from './memory-hints.ts';
import { createMemoryState } from './memory-policy.ts';
import { NOTHING_REUSABLE } from './memory-reuse.ts';
import { type MemoryState, returnMemory } from './memory-state.ts';

const RUNS = Number(process.env['CASES'] ?? 200);
const MI = 2 ** 20;

const anyFresh = fc.constantFrom(...SAMPLE_MACHINE_NAMES).map((name): MemoryState => {
  const machine = sampleMachine(name);
  const limits = { memory: '100Mi' };
  const kept = { memory: `${100 * machine.nodes.length}Mi` };
  const state = createMemoryState(
    machine,
    machine.nodes.map(({ id }) => ({ numaNode: id, limits })),
    kept,
  );
  if ('problem' in state) throw new Error(state.problem);
  return state;
});

/** In sixteenths of a node; undefined is: the oldest goes. */
const anyStep = fc.option(
  fc.record({
    main: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 2 }),
    init: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 2 }),
  }),
  { nil: undefined },
);

function toPod(uid: string, main: readonly number[], init: readonly number[], unit: number): Pod {
  const container =
    (name: string) =>
    (size: number, index: number): Container => {
      const list = { cpu: '1', memory: `${size * unit}Mi` };
      return { name: `${name}${index}`, resources: { limits: list, requests: list } };
    };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers: main.map(container('main')), initContainers: init.map(container('init')) },
  };
}

function admit(state: MemoryState, pod: Pod): MemoryState | undefined {
  let next = state;
  let reusable = NOTHING_REUSABLE;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const given = allocateMemory(next, reusable, pod, container, { nodes: undefined, preferred: false });
    if (!given.ok) return undefined;
    ({ state: next, reusable } = given);
  }
  return next;
}

const anyHistory = fc
  .record({ fresh: anyFresh, steps: fc.array(anyStep, { maxLength: 10 }) })
  .map(({ fresh, steps }) => {
    const unit = Math.floor((fresh.nodes.get(0)?.tables.get('memory')?.total ?? 0) / MI / 16);
    let state = fresh;
    const pods: Pod[] = [];
    for (const [index, step] of steps.entries()) {
      if (step === undefined) {
        const oldest = pods.shift();
        if (oldest !== undefined) state = returnMemory(state, toPodUid(oldest.metadata.uid));
        continue;
      }
      const pod = toPod(`pod-${index}`, step.main, step.init, unit);
      const next = admit(state, pod);
      if (next === undefined) continue;
      state = next;
      pods.push(pod);
    }
    return { fresh, state, pods };
  });

type Story = { fresh: MemoryState; state: MemoryState; pods: readonly Pod[] };
const holds = (criterion: string, check: (story: Story) => void): void => {
  it(criterion, () => fc.assert(fc.property(anyHistory, check), { numRuns: RUNS }));
};

describe('memory of NUMA nodes', () => {
  holds('what is free and what is given is what can be given', ({ state }) => {
    for (const { tables } of state.nodes.values())
      for (const { allocatable, reserved, free } of tables.values()) {
        assert.ok(reserved >= 0 && free >= 0);
        assert.equal(reserved + free, allocatable);
      }
  });

  holds('what is taken from nodes is what containers have', ({ state }) => {
    const blocks = [...state.assigned.values()].flatMap((ofPod) => [...ofPod.values()].flat());
    const given = blocks.reduce((sum, { size }) => sum + size, 0);
    const taken = [...state.nodes.values()].reduce(
      (sum, { tables }) => sum + (tables.get('memory')?.reserved ?? 0),
      0,
    );
    assert.equal(taken, given);
  });

  holds('a node serves alone or in one group', ({ state }) => {
    for (const [id, { cells, assignments }] of state.nodes) {
      assert.ok(cells.includes(id));
      if (assignments === 0) assert.deepEqual(cells, [id]);
      for (const other of cells) if (cells.length > 1) assert.deepEqual(state.nodes.get(other)?.cells, cells);
    }
  });

  holds('the machine is as it was when all pods are gone', ({ fresh, state, pods }) => {
    const empty = pods.reduce((left, { metadata }) => returnMemory(left, toPodUid(metadata.uid)), state);
    assert.deepEqual(renderMemoryState('Static', empty), renderMemoryState('Static', fresh));
  });

  holds('the saved state is the same state, and the machine can use it', ({ fresh, state }) => {
    const text = renderMemoryState('Static', state);
    const parsed = parseMemoryState(text, 'Static');
    assert.ok('state' in parsed);
    const checked = checkMemoryState(fresh, parsed.state);
    assert.ok(!('problem' in checked));
    assert.equal(renderMemoryState('Static', checked), text);
  });

  holds('a place that is hinted at has room', ({ state }) => {
    const pod = toPod('next', [3], [], 512);
    const [container] = pod.spec.containers;
    assert.ok(container !== undefined);
    for (const place of toMemoryHints(state, NOTHING_REUSABLE, pod, container)?.get('memory') ?? []) {
      const given = allocateMemory(state, NOTHING_REUSABLE, pod, container, place);
      assert.ok(given.ok);
    }
  });
});
