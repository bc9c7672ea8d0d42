import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodStats } from '../stats/summary.ts';
import { planEviction } from './eviction-plan.ts';
import type { EvictionSignal } from './signals.ts';
import { toThresholds } from './threshold.ts';

const MIB = 1024 ** 2;

function stats(uid: string, workingSetBytes: number): PodStats {
  const memory = { time: '', workingSetBytes };
  return { podRef: { name: uid, namespace: 'default', uid }, startTime: '', containers: [], memory };
}

describe('planEviction', () => {
  const all = new Map(
    [stats('small', MIB), stats('big', 50 * MIB), stats('critical', 99 * MIB)].map((one) => [
      one.podRef.uid,
      one,
    ]),
  );
  const pods = ['small', 'big', 'critical', 'fresh'].map((name) =>
    samplePod({ priority: name === 'critical' ? 2_000_000_000 : 0 }, { name, uid: name }),
  );
  const observe = (signals: Partial<Record<EvictionSignal, [number, number]>>) =>
    new Map(
      Object.entries(signals).map(([signal, [available, capacity]]) => [
        signal as EvictionSignal,
        { available, capacity, atMs: 0 },
      ]),
    );
  const thresholds = toThresholds({
    hard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '5%' },
    soft: { 'memory.available': '200Mi' },
    softGraceMs: { 'memory.available': 60_000 },
    minReclaim: {},
    enforcesPods: false,
  });
  const plan = planEviction({
    thresholds,
    observations: observe({ 'memory.available': [150 * MIB, 1000 * MIB], 'nodefs.available': [90, 1000] }),
    pods,
    findStats: ({ metadata: { uid } }) => all.get(uid),
    layout: 'single',
  });

  it('has the nearest threshold first and leaves out what was not measured', () => {
    assert.deepEqual(
      plan.map(({ signal, kind, isMet, threshold }) => [signal, kind, isMet, threshold]),
      [
        ['memory.available', 'soft', true, 200 * MIB],
        ['nodefs.available', 'hard', true, 100],
        ['memory.available', 'hard', false, 100 * MIB],
      ],
    );
  });

  it('names the pods in the order in which they would go, with what they use, and no critical one', () => {
    assert.deepEqual(
      plan[0]?.candidates.map(({ name, usage }) => [name, usage]),
      [
        ['fresh', undefined],
        ['big', 50 * MIB],
        ['small', MIB],
      ],
    );
  });
});
