import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleMachine } from '../../../test/samples/sample-machines.ts';
import { toPodUid } from '../model/ids.ts';
import { checkMemoryState } from './check-memory-state.ts';
import { parseMemoryState, renderMemoryState } from './memory-checkpoint.ts';
import { createMemoryState, type MemoryReservation } from './memory-policy.ts';
import type { MemoryState } from './memory-state.ts';

const machine = sampleMachine('two sockets');
const reserve =
  (...reservations: MemoryReservation[]) =>
  (kept: Readonly<Record<string, string>>) =>
    createMemoryState(machine, reservations, kept);
const problemOf = (result: object): string => ('problem' in result ? String(result.problem) : 'fine');

describe('createMemoryState', () => {
  it('leaves what the system keeps and huge pages out of the memory of a node', () => {
    const state = reserve({ numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } })({
      memory: '1Gi',
      'hugepages-2Mi': '2Mi',
    });
    assert.ok(!('problem' in state));
    const gi = 2 ** 30;
    const tables = state.nodes.get(0)?.tables;
    // 64 GiB, of them 1 kept, 1 in pages of 2 MiB and 2 in pages of 1 GiB.
    assert.deepEqual(tables?.get('memory'), {
      total: 64 * gi,
      systemReserved: gi,
      allocatable: 60 * gi,
      reserved: 0,
      free: 60 * gi,
    });
    assert.equal(tables?.get('hugepages-2Mi')?.allocatable, gi - 2 * 2 ** 20);
    assert.equal(tables?.get('hugepages-1Gi')?.allocatable, 2 * gi);
  });

  it('says in upstream’s words why it cannot start', () => {
    assert.equal(
      problemOf(reserve({ numaNode: 0, limits: { memory: '1Gi' } })({ memory: '1124Mi' })),
      'the total amount "1Gi" of type "memory" is not equal to the value "1124Mi" determined by Node Allocatable feature',
    );
    assert.equal(
      problemOf(reserve({ numaNode: 7, limits: { memory: '1Gi' } })({ memory: '1Gi' })),
      'the reserved memory configuration references a NUMA node 7 that does not exist on this machine',
    );
    assert.equal(problemOf(reserve()({})), '[memorymanager] you should specify the system reserved memory');
  });
});

describe('the file of memory', () => {
  const table = { total: 2048, systemReserved: 512, allocatable: 1536, reserved: 512, free: 1024 };
  const state: MemoryState = {
    nodes: new Map([[0, { assignments: 0, tables: new Map([['memory', table]]), cells: [] }]]),
    assigned: new Map([
      [toPodUid('pod'), new Map([['container1', [{ nodes: [0], type: 'memory', size: 512 }]]])],
    ]),
  };

  it('has the checksum that upstream computes', () => {
    assert.equal(JSON.parse(renderMemoryState('static', state)).checksum, 4215593881);
  });

  it('is refused when it was changed, is of another policy or is none', () => {
    const text = renderMemoryState('Static', state);
    const wrong: readonly [string, RegExp][] = [
      ['', /not a checkpoint/],
      ['{"policyName":"Static","machineState":{"x":{}},"checksum":0}', /not a checkpoint/],
      [
        '{"policyName":"Static","entries":{"p":{"c":[{"numaAffinity":[-1],"type":"memory","size":1}]}},"checksum":0}',
        /not a checkpoint/,
      ],
      [text.replace('"free":1024', '"free":1025'), /corrupted/],
      [
        renderMemoryState('None', state),
        /configured policy "Static" differs from state checkpoint policy "None"/,
      ],
    ];
    for (const [one, problem] of wrong)
      assert.match(problemOf(parseMemoryState(one, 'Static')), problem, one);
  });

  it('is refused when the machine has changed', () => {
    const fresh: MemoryState = {
      nodes: new Map([
        [
          0,
          {
            assignments: 0,
            tables: new Map([['memory', { ...table, reserved: 0, free: 1536 }]]),
            cells: [0],
          },
        ],
      ]),
      assigned: new Map(),
    };
    const given = (nodes: number[], type: string): MemoryState => ({
      ...state,
      assigned: new Map([[toPodUid('pod'), new Map([['c', [{ nodes, type, size: 1 }]]])]]),
    });
    assert.match(
      problemOf(checkMemoryState(fresh, state)),
      /the expected machine state is different from the real one/,
    );
    assert.match(
      problemOf(checkMemoryState(fresh, given([3], 'memory'))),
      /\(pod: pod, container: c\) the memory assignment uses the NUMA that does not exist/,
    );
    assert.match(
      problemOf(checkMemoryState(fresh, given([0], 'hugepages-2Mi'))),
      /memory resource that does not exist/,
    );
    assert.match(
      problemOf(checkMemoryState(fresh, { ...state, nodes: new Map() })),
      /machine state can not be empty/,
    );
  });
});
