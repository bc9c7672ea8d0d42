import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Summary } from '../../core/stats/summary.ts';
import { UsageHistory } from './usage-history.ts';

const time = '2026-01-02T03:04:05Z';
const S = 1000;

function summary(cpu: number | undefined, pods: Readonly<Record<string, number>> = {}): Summary {
  return {
    node: {
      nodeName: 'n',
      startTime: time,
      cpu: cpu === undefined ? { time } : { time, usageNanoCores: cpu },
      memory: { time, workingSetBytes: 64 },
    },
    pods: Object.entries(pods).map(([uid, bytes]) => ({
      podRef: { name: uid, namespace: 'ns', uid },
      startTime: time,
      containers: [],
      memory: { time, workingSetBytes: bytes },
    })),
  };
}

describe('UsageHistory', () => {
  it('keeps a point every ten seconds at most', () => {
    const history = new UsageHistory();
    for (const at of [0, 5, 10, 19, 25]) history.note(summary(at + 1), at * S);
    const { atMs, of } = history.read(30 * S);
    assert.deepEqual(atMs, [0, 10 * S, 25 * S]);
    assert.deepEqual(of(), { cpuNanoCores: [1, 11, 26], memoryBytes: [64, 64, 64] });
  });

  it('has no value for a pod where it was not there, and forgets it after a quarter of an hour', () => {
    const history = new UsageHistory();
    history.note(summary(undefined), 0);
    history.note(summary(2, { a: 100 }), 10 * S);
    history.note(summary(3), 20 * S);
    assert.deepEqual(history.read(20 * S).of('a'), {
      cpuNanoCores: [null, null, null],
      memoryBytes: [null, 100, null],
    });
    assert.deepEqual(history.read(20 * S).of().cpuNanoCores, [null, 2, 3]);
    const later = history.read(15 * 60 * S + 15 * S);
    assert.deepEqual(later.atMs, [20 * S]);
    for (let at = 30; at <= 1000; at += 10) history.note(summary(1), at * S);
    assert.deepEqual(
      history
        .read(1000 * S)
        .of('a')
        .memoryBytes.filter((value) => value !== null),
      [],
    );
    assert.equal(history.read(1000 * S).atMs.length, 90);
    assert.equal(history.read(1000 * S).atMs[0], 110 * S);
  });

  it('begins again when the clock is set back', () => {
    const history = new UsageHistory();
    history.note(summary(1, { a: 1 }), 100 * S);
    history.note(summary(2), 50 * S);
    const { atMs, of } = history.read(60 * S);
    assert.deepEqual([atMs, of().cpuNanoCores], [[50 * S], [2]]);
  });
});
