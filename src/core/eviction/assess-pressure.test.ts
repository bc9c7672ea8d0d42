import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assessPressure, NO_PRESSURE_YET, type Pressure, type PressureMemory } from './assess-pressure.ts';
import type { Observations } from './observations.ts';
import type { EvictionSignal } from './signals.ts';
import { type ThresholdSettings, toThresholds } from './threshold.ts';

const MIB = 1024 ** 2;
const TRANSITION_MS = 300_000;

function thresholds(settings: Partial<ThresholdSettings>) {
  return toThresholds({
    hard: {},
    soft: {},
    softGraceMs: {},
    minReclaim: {},
    enforcesPods: false,
    ...settings,
  });
}

function observe(atMs: number, available: Partial<Record<EvictionSignal, number>>): Observations {
  const entries = Object.entries(available) as [EvictionSignal, number][];
  return new Map(
    entries.map(([signal, value]) => [signal, { available: value, capacity: 1000 * MIB, atMs }]),
  );
}

/** Several looks one after the other. */
function look(
  list: ReturnType<typeof thresholds>,
  looks: readonly (readonly [nowMs: number, Partial<Record<EvictionSignal, number>>])[],
): Pressure[] {
  let memory: PressureMemory = NO_PRESSURE_YET;
  return looks.map(([nowMs, available]) => {
    const observations = observe(nowMs, available);
    const seen = assessPressure({
      thresholds: list,
      observations,
      memory,
      transitionMs: TRANSITION_MS,
      nowMs,
    });
    memory = seen.memory;
    return seen;
  });
}

const due = ({ due }: Pressure) => due.map(({ signal }) => signal);

describe('assessPressure', () => {
  it('acts on a hard threshold at once, and only below it', () => {
    const list = thresholds({ hard: { 'memory.available': '100Mi' } });
    const [at, below] = look(list, [
      [1, { 'memory.available': 100 * MIB }],
      [2, { 'memory.available': 100 * MIB - 1 }],
    ]);
    assert.deepEqual([due(at!), at?.conditions], [[], []]);
    assert.deepEqual([due(below!), below?.conditions], [['memory.available'], ['MemoryPressure']]);
  });

  it('waits for the grace of a soft threshold, reports the pressure meanwhile and says when to look again', () => {
    const soft = { 'nodefs.available': '50Mi' };
    const list = thresholds({ soft, softGraceMs: { 'nodefs.available': 60_000 } });
    const low = { 'nodefs.available': 49 * MIB };
    const [first, almost, over] = look(list, [
      [1_000, low],
      [60_999, low],
      [61_000, low],
    ]);
    assert.deepEqual([due(first!), first?.conditions, first?.wakeAtMs], [[], ['DiskPressure'], 61_000]);
    assert.deepEqual(due(almost!), []);
    assert.deepEqual([due(over!), over?.wakeAtMs], [['nodefs.available'], undefined]);
  });

  it('forgets the grace of a soft threshold that recovered in between', () => {
    const soft = { 'nodefs.available': '50Mi' };
    const list = thresholds({ soft, softGraceMs: { 'nodefs.available': 60_000 } });
    const looks = look(list, [
      [0, { 'nodefs.available': 49 * MIB }],
      [30_000, { 'nodefs.available': 50 * MIB }],
      [60_000, { 'nodefs.available': 49 * MIB }],
    ]);
    assert.deepEqual(looks.map(due), [[], [], []]);
    assert.equal(looks[2]?.wakeAtMs, 120_000);
  });

  it('goes on until the minimum reclaim is there as well', () => {
    const list = thresholds({
      hard: { 'nodefs.available': '50Mi' },
      minReclaim: { 'nodefs.available': '10Mi' },
    });
    const looks = look(list, [
      [1, { 'nodefs.available': 55 * MIB }],
      [2, { 'nodefs.available': 49 * MIB }],
      [3, { 'nodefs.available': 59 * MIB }],
      [4, { 'nodefs.available': 60 * MIB }],
      [5, { 'nodefs.available': 55 * MIB }],
    ]);
    assert.deepEqual(looks.map(due), [[], ['nodefs.available'], ['nodefs.available'], [], []]);
  });

  it('keeps a condition for the transition period after its threshold was met last', () => {
    const list = thresholds({ hard: { 'pid.available': '10' } });
    const looks = look(list, [
      [0, { 'pid.available': 9 }],
      [1_000, { 'pid.available': 10 }],
      [TRANSITION_MS - 1, { 'pid.available': 10 }],
      [TRANSITION_MS, { 'pid.available': 10 }],
    ]);
    assert.deepEqual(
      looks.map(({ conditions }) => conditions),
      [['PIDPressure'], ['PIDPressure'], ['PIDPressure'], []],
    );
  });

  it('acts on a reading once, and on memory before all else', () => {
    const list = thresholds({ hard: { 'nodefs.available': '50Mi', 'memory.available': '100Mi' } });
    const observations = observe(1, { 'nodefs.available': 0, 'memory.available': 0 });
    const input = { thresholds: list, observations, transitionMs: TRANSITION_MS, nowMs: 1 };
    const first = assessPressure({ ...input, memory: NO_PRESSURE_YET });
    assert.deepEqual(due(first), ['memory.available', 'nodefs.available']);
    assert.deepEqual(due(assessPressure({ ...input, memory: first.memory })), []);
  });

  it('skips a threshold without a reading', () => {
    const [seen] = look(thresholds({ hard: { 'memory.available': '100Mi' } }), [[1, {}]]);
    assert.deepEqual([due(seen!), seen?.conditions], [[], []]);
  });
});
