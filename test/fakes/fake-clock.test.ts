import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sleep } from '../../src/base/async/clock.ts';
import { AgentLife } from './agent-life.ts';
import { FakeClock } from './fake-clock.ts';
import { SeededRandom } from './seeded-random.ts';

describe('FakeClock', () => {
  it('fires timers in order of time, at their time, whatever order they were started in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 30 }), fc.nat(), async (delays, seed) => {
        const clock = new FakeClock({ startMs: 1000, seed });
        const fired: number[] = [];
        for (const delay of delays)
          clock.startTimer(delay, () => {
            assert.equal(clock.now(), 1000 + delay);
            fired.push(delay);
          });
        assert.equal(clock.pendingTimers, delays.length);
        await clock.advance(50);
        assert.deepEqual(
          fired,
          delays.toSorted((a, b) => a - b),
        );
        assert.equal(clock.pendingTimers, 0);
        assert.equal(clock.now(), 1050);
      }),
    );
  });

  it('breaks ties by arrival without a seed and by the seed with one', async () => {
    const orderOf = async (seed?: number): Promise<string> => {
      const clock = new FakeClock(seed === undefined ? {} : { seed });
      let order = '';
      for (const letter of 'abcdefgh') clock.startTimer(5, () => (order += letter));
      await clock.advance(5);
      return order;
    };
    assert.equal(await orderOf(), 'abcdefgh');
    assert.notEqual(await orderOf(7), 'abcdefgh');
    assert.equal(await orderOf(7), await orderOf(7));
    assert.notEqual(await orderOf(7), await orderOf(8));
  });

  it('completes everything that follows from one timer before the next fires', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const work = async (): Promise<void> => {
      await sleep(clock, 10);
      for (let i = 0; i < 50; i++) await Promise.resolve();
      seen.push('chain of the first');
      await sleep(clock, 0);
      seen.push('follow-up of the first');
    };
    void work();
    clock.startTimer(11, () => seen.push('second'));
    await clock.advance(11);
    assert.deepEqual(seen, ['chain of the first', 'follow-up of the first', 'second']);
  });

  it('does not fire a disposed timer and counts it as gone', async () => {
    const clock = new FakeClock();
    const timer = clock.startTimer(1, () => assert.fail('fired'));
    clock.startTimer(1, () => {});
    timer[Symbol.dispose]();
    timer[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(10);
  });

  it('advance stops short of later timers', async () => {
    const clock = new FakeClock();
    let fired = 0;
    clock.startTimer(100, () => fired++);
    await clock.advance(99);
    assert.equal(fired, 0);
    await clock.advance(1);
    assert.equal(fired, 1);
  });

  it('runUntil stops at the first moment the condition holds', async () => {
    const clock = new FakeClock({ startMs: 0 });
    let ticks = 0;
    const tick = (): void => {
      ticks++;
      clock.startTimer(10, tick);
    };
    tick();
    await clock.runUntil(() => ticks === 4, 1000);
    assert.equal(clock.now(), 30);
    await assert.rejects(
      clock.runUntil(() => false, 100, 'peace'),
      /peace does not hold: after 100 ms/,
    );
  });

  it('runUntil rejects when nothing is planned any more', async () => {
    const clock = new FakeClock();
    await assert.rejects(
      clock.runUntil(() => false, 1000),
      /nothing is planned/,
    );
    assert.equal(await clock.advanceToNextTimer(), false);
  });

  it('reports a loop that spins without time passing', async () => {
    const clock = new FakeClock();
    const spin = (): void => void clock.startTimer(0, spin);
    spin();
    await assert.rejects(clock.advance(1), /time stands still/);
  });

  it('timers of a killed life never fire, those of others do', async () => {
    const clock = new FakeClock();
    const life = new AgentLife();
    const agentClock = clock.forLife(life);
    let fired = '';
    agentClock.startTimer(1, () => (fired += 'before '));
    agentClock.startTimer(3, () => (fired += 'agent '));
    clock.startTimer(3, () => (fired += 'world'));
    await clock.advance(2);
    life.kill();
    agentClock.startTimer(1, () => (fired += 'ghost '));
    await clock.advance(10);
    assert.equal(fired, 'before world');
    assert.equal(clock.pendingTimers, 0);
  });
});

describe('SeededRandom', () => {
  it('repeats by seed and differs between seeds', () => {
    const draw = (seed: number): number[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 20 }, () => random.next());
    };
    assert.deepEqual(draw(1), draw(1));
    assert.notDeepEqual(draw(1), draw(2));
  });

  it('stays in range and spreads over it', () => {
    const random = new SeededRandom(42);
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const bucket = random.int(10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    assert.equal(buckets.length, 10);
    for (const count of buckets) assert.ok(count > 800 && count < 1200, buckets.join());
    assert.equal(random.chance(0), false);
    assert.equal(random.chance(1), true);
  });

  it('forks with different labels are independent', () => {
    const fork = (label: string): number => new SeededRandom(1).fork(label).next();
    assert.notEqual(fork('events'), fork('ids'));
    assert.equal(fork('ids'), fork('ids'));
  });
});
