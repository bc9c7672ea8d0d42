import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeContainerStats, encodeContainerStats } from '../../gen/cri.ts';
import { fromWireContainerStats } from './cri-container-stats.ts';

describe('fromWireContainerStats', () => {
  it('takes numbers that were sent, zero too', () => {
    const sent = encodeContainerStats({
      attributes: { id: 'c1' },
      cpu: { timestamp: 5e9, usageCoreNanoSeconds: { value: 7 }, usageNanoCores: { value: 0 } },
      memory: { timestamp: 5e9, workingSetBytes: { value: 9 } },
      writableLayer: {
        timestamp: 4e9,
        fsId: { mountpoint: '/layers' },
        usedBytes: { value: 11 },
        inodesUsed: { value: 2 },
      },
    });
    assert.deepEqual(fromWireContainerStats(decodeContainerStats(sent)), {
      atMs: 5000,
      usageNs: 7,
      usageNanoCores: 0,
      workingSetBytes: 9,
      writableLayer: { atMs: 4000, mountpoint: '/layers', usedBytes: 11, inodesUsed: 2 },
    });
  });

  it('leaves out what was not sent', () => {
    const sent = decodeContainerStats(encodeContainerStats({ attributes: { id: 'c1' } }));
    assert.deepEqual(fromWireContainerStats(sent), { atMs: 0 });
  });
});
