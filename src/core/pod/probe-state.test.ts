import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ProbeKind } from '../model/probe-results.ts';
import { type Measurement, mayMeasure, type ProbeState, toInitialState, toNextState } from './probe-state.ts';

const AGENT_START = 1_000_000;
const fresh = {
  startedAtMs: AGENT_START,
  agentStartedAtMs: AGENT_START,
  knownStarted: false,
  knownReady: false,
};
const old = { ...fresh, startedAtMs: AGENT_START - 10_001 };
const KINDS: readonly ProbeKind[] = ['liveness', 'readiness', 'startup'];

const kinds = fc.constantFrom(...KINDS);
const thresholds = fc.record({
  successThreshold: fc.integer({ min: 1, max: 4 }),
  failureThreshold: fc.integer({ min: 1, max: 4 }),
});
const measurements = fc.array(fc.constantFrom<Measurement>('success', 'failure', 'error'), { maxLength: 40 });

function play(
  kind: ProbeKind,
  limits: { successThreshold: number; failureThreshold: number },
  runs: readonly Measurement[],
  age = fresh,
): ProbeState[] {
  const states = [toInitialState(kind, age)];
  for (const run of runs) states.push(toNextState(kind, limits, states.at(-1)!, run));
  return states;
}

describe('toInitialState', () => {
  it('assumes a new instance lives, is not ready and has not started', () => {
    assert.deepEqual(
      KINDS.map((kind) => toInitialState(kind, fresh).result),
      ['success', 'failure', 'unknown'],
    );
  });

  it('has no result for an instance more than 10 s older than the agent', () => {
    for (const kind of KINDS) {
      assert.equal(toInitialState(kind, old).result, undefined);
      assert.notEqual(toInitialState(kind, { ...old, startedAtMs: AGENT_START - 10_000 }).result, undefined);
    }
  });

  it('does not start the startup probe of an instance that was published as started', () => {
    const state = toInitialState('startup', { ...old, knownStarted: true });
    assert.equal(state.result, 'success');
    assert.equal(mayMeasure('startup', state, false), false);
    assert.equal(toInitialState('readiness', { ...old, knownStarted: true }).result, undefined);
  });
});

describe('toInitialState of an instance that was found ready', () => {
  it('keeps it ready until its failures reach the threshold', () => {
    const limits = { successThreshold: 2, failureThreshold: 2 };
    const states = play('readiness', limits, ['failure', 'failure'], { ...fresh, knownReady: true });
    assert.deepEqual(
      states.map(({ result }) => result),
      ['success', 'success', 'failure'],
    );
  });
});

describe('toNextState', () => {
  const limits = { successThreshold: 2, failureThreshold: 3 };

  it('publishes readiness only when a threshold is reached without interruption', () => {
    const runs: Measurement[] = ['success', 'failure', 'success', 'success', 'failure', 'failure', 'failure'];
    assert.deepEqual(
      play('readiness', limits, runs).map(({ result }) => result),
      ['failure', 'failure', 'failure', 'failure', 'success', 'success', 'success', 'failure'],
    );
  });

  it('lets an error neither count nor interrupt a series', () => {
    const runs: Measurement[] = ['failure', 'failure', 'error', 'failure'];
    assert.equal(play('liveness', limits, runs).at(-1)?.result, 'failure');
    assert.equal(play('liveness', limits, ['error', 'error', 'error', 'error']).at(-1)?.result, 'success');
  });

  it('holds after a failed liveness probe and after any startup result', () => {
    const failed = play('liveness', limits, ['failure', 'failure', 'failure', 'success', 'success']).at(-1);
    assert.deepEqual([failed?.result, failed?.onHold], ['failure', true]);
    const startedUp = play('startup', limits, ['success', 'success', 'failure', 'failure', 'failure']).at(-1);
    assert.deepEqual([startedUp?.result, startedUp?.onHold], ['success', true]);
    const notStarted = play('startup', limits, ['failure', 'failure', 'failure', 'success', 'success']).at(
      -1,
    );
    assert.deepEqual([notStarted?.result, notStarted?.onHold], ['failure', true]);
  });

  it('goes on measuring readiness after any result, and liveness after a success', () => {
    const failed = play('readiness', limits, ['failure', 'failure', 'failure', 'success', 'success']);
    assert.deepEqual(
      failed.slice(3).map(({ result, onHold }) => [result, onHold]),
      [
        ['failure', false],
        ['failure', false],
        ['success', false],
      ],
    );
    assert.equal(play('liveness', limits, ['success', 'success']).at(-1)?.onHold, false);
  });

  it('changes a result only to one that was measured as often in a row as its threshold asks', () => {
    fc.assert(
      fc.property(kinds, thresholds, measurements, fc.boolean(), (kind, limit, runs, isOld) => {
        const states = play(kind, limit, runs, isOld ? old : fresh);
        for (let index = 1; index < states.length; index++) {
          const result = states[index]!.result;
          if (result === states[index - 1]!.result) continue;
          const needed = result === 'success' ? limit.successThreshold : limit.failureThreshold;
          const counted = runs.slice(0, index).filter((run) => run !== 'error');
          assert.ok(counted.length >= needed);
          assert.ok(counted.slice(-needed).every((run) => run === result));
        }
      }),
    );
  });

  it('never changes anything once on hold', () => {
    fc.assert(
      fc.property(kinds, thresholds, measurements, (kind, limit, runs) => {
        const states = play(kind, limit, runs);
        const held = states.findIndex(({ onHold }) => onHold);
        if (held < 0) return;
        for (const state of states.slice(held)) assert.deepEqual(state, states[held]);
      }),
    );
  });

  it('always reaches a result that is measured for long enough, unless it is on hold', () => {
    fc.assert(
      fc.property(kinds, thresholds, measurements, fc.boolean(), (kind, limit, runs, good) => {
        const measured = good ? 'success' : 'failure';
        const tail = Array.from({ length: 4 }, (): Measurement => measured);
        const before = play(kind, limit, runs).at(-1)!;
        const after = play(kind, limit, [...runs, ...tail]).at(-1)!;
        assert.equal(after.result, before.onHold ? before.result : measured);
      }),
    );
  });
});

describe('mayMeasure', () => {
  it('runs a startup probe until the container has started and the others from then on', () => {
    for (const kind of KINDS) {
      const state = toInitialState(kind, fresh);
      assert.equal(mayMeasure(kind, state, false), kind === 'startup');
      assert.equal(mayMeasure(kind, state, true), kind !== 'startup');
    }
  });
});
