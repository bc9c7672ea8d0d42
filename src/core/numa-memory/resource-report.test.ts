import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleMachine } from '../../../test/samples/sample-machines.ts';
import { createCpuPolicy } from '../cpus/cpu-policy.ts';
import { NO_CPU_STATE } from '../cpus/cpu-state.ts';
import { toCpuTopology } from '../cpus/cpu-topology.ts';
import { toPodUid } from '../model/ids.ts';
import { NO_MEMORY_STATE } from './memory-state.ts';
import { reportNodes } from './resource-report.ts';

const layout = sampleMachine('no threads');
const nameOf = (uid: string, container: string) => `default/${uid} ${container}`;

describe('reportNodes', () => {
  it('shows a machine that nothing is assigned of as shared', () => {
    const sources = { layout, cpuPolicy: undefined, cpus: NO_CPU_STATE, memory: NO_MEMORY_STATE, nameOf };
    const memory = [{ type: 'memory', bytes: 8 * 2 ** 30, owner: 'shared' }];
    assert.deepEqual(reportNodes(sources), [
      { id: 0, sockets: [0], cpus: [{ cpus: '0-3', owner: 'shared' }], memory },
      { id: 1, sockets: [1], cpus: [{ cpus: '4-7', owner: 'shared' }], memory },
    ]);
  });

  it('names the owner of each part', () => {
    const options = {
      fullCores: false,
      strictReservation: false,
      byCache: false,
      acrossNodes: false,
      acrossCores: false,
      bySocket: false,
    };
    const cpuPolicy = createCpuPolicy(
      toCpuTopology(layout.cpus),
      { count: 1, cpus: undefined },
      options,
      'none',
    );
    assert.ok(!('problem' in cpuPolicy));
    const uid = toPodUid('web');
    const cpus = {
      shared: new Set([0, 1, 6, 7]),
      assigned: new Map([[uid, new Map([['main', new Set([2, 3, 4, 5])]])]]),
    };
    const table = { total: 100, systemReserved: 10, allocatable: 90, reserved: 30, free: 60 };
    const node = { assignments: 1, tables: new Map([['memory', table]]), cells: [0, 1] };
    const memory = {
      nodes: new Map([
        [0, node],
        [1, node],
      ]),
      assigned: new Map([[uid, new Map([['main', [{ nodes: [0, 1], type: 'memory', size: 60 }]]])]]),
    };
    const rest = [
      { type: 'memory', bytes: 10, owner: 'reserved' },
      { type: 'memory', bytes: 60, owner: 'free' },
    ];
    assert.deepEqual(reportNodes({ layout, cpuPolicy, cpus, memory, nameOf }), [
      {
        id: 0,
        sockets: [0],
        cpus: [
          { cpus: '0', owner: 'reserved, shared' },
          { cpus: '2-3', owner: 'default/web main' },
          { cpus: '1', owner: 'shared' },
        ],
        memory: [{ type: 'memory', bytes: 60, owner: 'default/web main (nodes 0,1)' }, ...rest],
      },
      {
        id: 1,
        sockets: [1],
        cpus: [
          { cpus: '4-5', owner: 'default/web main' },
          { cpus: '6-7', owner: 'shared' },
        ],
        memory: rest,
      },
    ]);
  });
});
