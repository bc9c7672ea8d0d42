import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { sleep } from './clock.ts';
import { Gate } from './gate.ts';

describe('Gate', () => {
  const free = new AbortController().signal;

  it('rejects a width that is no positive whole number', () => {
    for (const width of [0, -1, 1.5, Number.NaN]) assert.throws(() => new Gate(width), /gate width/);
  });

  it('returns the result and passes on the failure of the work', async () => {
    const gate = new Gate(1);
    assert.equal(await gate.run(0, free, async () => 7), 7);
    await assert.rejects(
      gate.run(0, free, () => {
        throw new Error('thrown at once');
      }),
      /thrown at once/,
    );
    assert.equal(await gate.run(0, free, async () => 8), 8);
  });

  it('never calls work whose signal is aborted already', async () => {
    const gate = new Gate(1);
    const reason = new Error('stopped');
    const called = gate.run(0, AbortSignal.abort(reason), async () => assert.fail('called'));
    await assert.rejects(called, (error) => error === reason);
    assert.equal(await gate.run(0, free, async () => 'free'), 'free');
  });

  it('admits waiters by rank, equal ranks in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1 }), async (ranks) => {
        const gate = new Gate(1);
        const first = Promise.withResolvers<void>();
        const all = [gate.run(0, free, () => first.promise)];
        const entered: number[] = [];
        for (const [index, rank] of ranks.entries())
          all.push(gate.run(rank, free, async () => void entered.push(index)));
        assert.equal(gate.waiting, ranks.length);
        first.resolve();
        await Promise.all(all);
        const expected = [...ranks.keys()].sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
        assert.deepEqual(entered, expected);
      }),
    );
  });

  it('reports how many enter before a waiting rank', async () => {
    const gate = new Gate(1);
    const first = Promise.withResolvers<void>();
    const all = [
      gate.run(0, free, () => first.promise),
      ...[5, 1].map((rank) => gate.run(rank, free, async () => {})),
    ];
    assert.deepEqual(
      [gate.waitingBefore(1), gate.waitingBefore(5), gate.waitingBefore(0)],
      [0, 1, undefined],
    );
    first.resolve();
    await Promise.all(all);
    assert.equal(gate.waitingBefore(5), undefined);
  });

  const visitors = fc.array(
    fc.record({
      rank: fc.nat(3),
      arriveMs: fc.nat(40),
      workMs: fc.nat(20),
      fails: fc.boolean(),
      abortMs: fc.option(fc.nat(60), { nil: undefined }),
    }),
    { maxLength: 25 },
  );

  it('holds its width, runs all work that was not cancelled while waiting, loses no place', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), visitors, fc.nat(), async (width, plan, seed) => {
        const clock = new FakeClock({ startMs: 0, seed });
        const gate = new Gate(width);
        let inside = 0;
        const visits = plan.map(async (visitor) => {
          const abort = new AbortController();
          if (visitor.abortMs !== undefined) clock.startTimer(visitor.abortMs, () => abort.abort('gone'));
          await sleep(clock, visitor.arriveMs);
          let worked = false;
          const work = async (): Promise<void> => {
            worked = true;
            inside++;
            assert.ok(inside <= width, `${inside} inside a gate of ${width}`);
            await sleep(clock, visitor.workMs);
            inside--;
            if (visitor.fails) throw new Error('work failed');
          };
          const outcome = await gate.run(visitor.rank, abort.signal, work).then(
            () => 'done',
            (error: unknown) => (error === 'gone' ? 'cancelled' : 'failed'),
          );
          assert.equal(worked, outcome !== 'cancelled');
          if (outcome === 'cancelled') assert.ok(abort.signal.aborted);
          else assert.equal(outcome, visitor.fails ? 'failed' : 'done');
        });
        await clock.finish(Promise.all(visits));
        assert.deepEqual([inside, gate.waiting], [0, 0]);
        // Every place is free again: `width` visitors enter at once, one more waits.
        const hold = Promise.withResolvers<void>();
        const last = Array.from({ length: width + 1 }, () => gate.run(0, free, () => hold.promise));
        assert.equal(gate.waiting, 1);
        hold.resolve();
        await Promise.all(last);
      }),
      { numRuns: 60 },
    );
  });

  it('is never idle while work waits', async () => {
    const clock = new FakeClock();
    const gate = new Gate(2);
    const visits = Array.from({ length: 6 }, () => gate.run(0, free, () => sleep(clock, 10)));
    const startMs = clock.now();
    await clock.finish(Promise.all(visits));
    assert.equal(clock.now() - startMs, 30);
  });

  it('takes a place back from work that outlasts the loan, and only once', async () => {
    const clock = new FakeClock();
    const gate = new Gate(1, { clock, maxHoldMs: 50 });
    const hung = Promise.withResolvers<void>();
    const first = gate.run(0, free, () => hung.promise);
    let running = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await sleep(clock, 10);
      running--;
    };
    const startMs = clock.now();
    const others = [gate.run(1, free, visit), gate.run(1, free, visit)];
    await clock.finish(Promise.all(others));
    assert.equal(clock.now() - startMs, 70);
    hung.resolve();
    await first;
    await clock.finish(Promise.all([gate.run(1, free, visit), gate.run(1, free, visit)]));
    assert.equal(most, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  it('keeps a place for the next step of the same rank before it admits others', async () => {
    const clock = new FakeClock();
    const gate = new Gate(1, { clock, maxHoldMs: 60_000 });
    const order: string[] = [];
    const step = (name: string) => async () => void order.push(name);
    const first = gate.run(1, free, step('first, sandbox'), 100);
    const second = gate.run(2, free, step('second'));
    await first;
    await gate.run(1, free, step('first, container'));
    await second;
    assert.deepEqual(order, ['first, sandbox', 'first, container', 'second']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('gives a kept place to the next waiter when its step does not come in time', async () => {
    const clock = new FakeClock();
    const gate = new Gate(1, { clock, maxHoldMs: 60_000 });
    await gate.run(1, free, async () => undefined, 100);
    let entered = false;
    const second = gate.run(2, free, async () => {
      entered = true;
    });
    await clock.advance(99);
    assert.equal(entered, false);
    await clock.advance(1);
    await second;
    assert.equal(await gate.run(1, free, async () => 'late but welcome'), 'late but welcome');
  });

  it('keeps nothing once it is closed', async () => {
    const clock = new FakeClock();
    const gate = new Gate(1, { clock, maxHoldMs: 60_000 });
    await gate.run(1, free, async () => undefined, 100);
    gate.close();
    assert.equal(await gate.run(2, free, async () => 'free again', 100), 'free again');
    assert.equal(await gate.run(3, free, async () => 'and again'), 'and again');
    assert.equal(clock.pendingTimers, 0);
  });

  it('begins nothing when the signal aborts in the moment a place comes free, and gives the place back', async () => {
    const gate = new Gate(1);
    const stop = new AbortController();
    let began = false;
    const work = gate.run(0, stop.signal, async () => {
      began = true;
    });
    stop.abort(new Error('stopped'));
    await assert.rejects(work, /stopped/);
    assert.equal(began, false);
    assert.equal(await gate.run(0, new AbortController().signal, async () => 'free'), 'free');
  });
});
