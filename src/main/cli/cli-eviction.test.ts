import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SignalPlan } from '../../core/eviction/eviction-plan.ts';
import { renderConditions, toSignalCells } from './cli-eviction.ts';

const GIB = 1024 ** 3;
const candidate = { namespace: 'default', name: 'web', uid: 'u', priority: 0, usage: 3 * GIB, request: GIB };

describe('explain --eviction', () => {
  const plan: SignalPlan = {
    signal: 'memory.available',
    kind: 'hard',
    available: 2 * GIB,
    capacity: 8 * GIB,
    threshold: GIB / 2,
    isMet: false,
    candidates: [candidate],
  };
  const rows: [name: string, plan: Partial<SignalPlan>, expected: string[]][] = [
    [
      'memory',
      {},
      [
        'memory.available',
        '2.0 GiB',
        '512.0 MiB',
        'enough',
        'default/web',
        'priority 0, uses 3.0 GiB, requests 1.0 GiB',
        '3.0 GiB',
      ],
    ],
    [
      'a soft threshold that is met, and a pod without statistics',
      { kind: 'soft', isMet: true, candidates: [{ ...candidate, usage: undefined }] },
      [
        'memory.available (soft)',
        '2.0 GiB',
        '512.0 MiB',
        'below',
        'default/web',
        'has no statistics yet',
        '<unknown>',
      ],
    ],
    [
      'processes',
      { signal: 'pid.available', available: 900, threshold: 100, candidates: [{ ...candidate, usage: 12 }] },
      ['pid.available', '900', '100', 'enough', 'default/web', 'priority 0, most processes', '12'],
    ],
    [
      'inodes',
      {
        signal: 'nodefs.inodesFree',
        available: 900,
        threshold: 100,
        candidates: [{ ...candidate, usage: 12 }],
      },
      ['nodefs.inodesFree', '900', '100', 'enough', 'default/web', 'priority 0, uses 12', '12'],
    ],
    [
      'only critical pods',
      { candidates: [] },
      ['memory.available', '2.0 GiB', '512.0 MiB', 'enough', '<none>', 'no pod may be evicted', '<unknown>'],
    ],
  ];
  for (const [name, over, expected] of rows)
    it(name, () => assert.deepEqual(toSignalCells({ ...plan, ...over }), expected));

  it('ends with the conditions', () => {
    assert.match(renderConditions({ signals: [], conditions: [] }), /No threshold is configured/);
    assert.equal(renderConditions({ signals: [plan], conditions: [] }), 'The node is under no pressure.\n');
    assert.equal(
      renderConditions({ signals: [plan], conditions: ['MemoryPressure', 'DiskPressure'] }),
      'The node reports MemoryPressure and DiskPressure.\n',
    );
  });
});
