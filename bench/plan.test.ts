import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCENARIOS, toOrder, toPlan } from './plan.ts';

describe('toPlan', () => {
  it('everything five times by default, a small part of it twice when quick', () => {
    const full = toPlan([], {});
    assert.deepEqual([full.counts, full.rounds, full.scenarios], [[30, 100, 250], 5, SCENARIOS]);
    const quick = toPlan(['--quick'], {});
    assert.deepEqual([quick.counts, quick.rounds], [[30], 2]);
    assert.ok(!quick.scenarios.includes('churn') && quick.scenarios.includes('burst'));
  });

  it('takes pods, rounds and scenarios from the environment; empty is not set', () => {
    const plan = toPlan(['--output=docs'], { BENCH_PODS: '10,20', BENCH_ROUNDS: '3', ONLY: 'one, burst' });
    assert.deepEqual(plan.counts, [10, 20]);
    assert.equal(plan.rounds, 3);
    assert.deepEqual(plan.scenarios, ['one', 'burst']);
    assert.equal(plan.output, 'docs');
    assert.equal(toPlan([], { BENCH_ROUNDS: '' }).rounds, 5);
  });

  it('refuses what it does not know', () => {
    assert.throws(() => toPlan([], { ONLY: 'speed' }), /no scenario "speed"/);
    assert.throws(() => toPlan([], { BENCH_PODS: '30,many' }), /BENCH_PODS: "many"/);
    assert.throws(() => toPlan([], { BENCH_ROUNDS: '0' }), /BENCH_ROUNDS: "0"/);
    assert.throws(() => toPlan(['--speed'], {}), /speed/);
  });
});

describe('toOrder', () => {
  it('the first of a round changes', () => {
    assert.deepEqual(
      [1, 2, 3].map((round) => toOrder(round)[0]),
      ['ours', 'upstream', 'ours'],
    );
  });
});
