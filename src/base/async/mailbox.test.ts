import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { sleep } from './clock.ts';
import { Mailbox, type Wake } from './mailbox.ts';

describe('Mailbox', () => {
  const running = new AbortController().signal;

  function make(): { clock: FakeClock; mailbox: Mailbox } {
    const clock = new FakeClock({ startMs: 1000 });
    return { clock, mailbox: new Mailbox(clock) };
  }

  it('gives all posts since the last read at once', async () => {
    const { mailbox } = make();
    for (const reason of ['event', 'probe', 'event']) mailbox.post(reason);
    assert.equal(mailbox.pending, true);
    assert.deepEqual(await mailbox.wait(running), { kind: 'posted', reasons: new Set(['event', 'probe']) });
    assert.equal(mailbox.pending, false);
  });

  it('wakes a waiting reader and leaves no timer', async () => {
    const { clock, mailbox } = make();
    const wake = mailbox.wait(running, clock.steady() + 4000);
    assert.equal(clock.pendingTimers, 1);
    mailbox.post('event');
    assert.deepEqual(await wake, { kind: 'posted', reasons: new Set(['event']) });
    assert.equal(clock.pendingTimers, 0);
  });

  it('wakes at the deadline and not before', async () => {
    const { clock, mailbox } = make();
    let wake: Wake | undefined;
    void mailbox.wait(running, clock.steady() + 100).then((result) => {
      wake = result;
    });
    await clock.advance(99);
    assert.equal(wake, undefined);
    await clock.advance(1);
    assert.deepEqual(wake, { kind: 'deadline' });
  });

  it('a pending post wins over a deadline that has passed, stop wins over both', async () => {
    const { clock, mailbox } = make();
    mailbox.post('event');
    assert.equal((await mailbox.wait(running, 0)).kind, 'posted');
    mailbox.post('event');
    assert.equal((await mailbox.wait(AbortSignal.abort(), 0)).kind, 'stopped');
    assert.equal(mailbox.pending, true, 'a post is not lost to a stop');
    assert.equal(clock.pendingTimers, 0);
  });

  it('a post just after the deadline fired is read with it or by the next wait', async () => {
    let fire = (): void => {};
    const startTimer = (_delayMs: number, run: () => void): Disposable => {
      fire = run;
      return { [Symbol.dispose]: () => {} };
    };
    const mailbox = new Mailbox({ steady: () => 0, startTimer });
    const together = mailbox.wait(running, 10);
    fire();
    mailbox.post('event');
    assert.deepEqual(await together, { kind: 'posted', reasons: new Set(['event']) });

    const apart = mailbox.wait(running, 10);
    fire();
    assert.deepEqual(await apart, { kind: 'deadline' });
    mailbox.post('event');
    assert.equal((await mailbox.wait(running, 10)).kind, 'posted');
  });

  it('ends when stop aborts, without timer', async () => {
    const { clock, mailbox } = make();
    const stop = new AbortController();
    const wake = mailbox.wait(stop.signal, clock.steady() + 4000);
    stop.abort();
    assert.deepEqual(await wake, { kind: 'stopped' });
    assert.equal(clock.pendingTimers, 0);
  });

  it('refuses a second reader and keeps the first', async () => {
    const { mailbox } = make();
    const first = mailbox.wait(running);
    await assert.rejects(mailbox.wait(running), /one reader/);
    mailbox.post('event');
    assert.equal((await first).kind, 'posted');
  });

  const actions = fc.array(
    fc.record({ atMs: fc.nat(60), reason: fc.constantFrom('a', 'b', 'c'), microtasks: fc.nat(6) }),
    { maxLength: 20 },
  );

  it('loses no post under any interleaving of posts, work and deadlines', async () => {
    await fc.assert(
      fc.asyncProperty(
        actions,
        fc.array(fc.integer({ min: 1, max: 9 })),
        fc.nat(15),
        fc.nat(),
        async (posts, works, waitMs, seed) => {
          const clock = new FakeClock({ startMs: 0, seed });
          const mailbox = new Mailbox(clock);
          const stop = new AbortController();
          const unread = new Set<string>();

          const post = async (reason: string, microtasks: number): Promise<void> => {
            for (let i = 0; i < microtasks; i++) await Promise.resolve();
            unread.add(reason);
            mailbox.post(reason);
          };
          for (const { atMs, reason, microtasks } of posts)
            clock.startTimer(atMs, () => void post(reason, microtasks));

          const reader = async (): Promise<void> => {
            for (let turn = 0; ; turn++) {
              const wake = await mailbox.wait(stop.signal, clock.steady() + waitMs);
              if (wake.kind === 'stopped') return;
              if (wake.kind === 'posted') {
                assert.ok(wake.reasons.size > 0);
                for (const reason of wake.reasons)
                  assert.ok(unread.delete(reason), `"${reason}" was read but not posted`);
              }
              // All posts before this read have been read by now.
              assert.deepEqual([...unread], []);
              await sleep(clock, works[turn % (works.length || 1)] ?? 1);
            }
          };
          const ended = reader();
          await clock.advance(80 + waitMs);
          assert.deepEqual([...unread], [], 'every post was read');
          stop.abort();
          await clock.finish(ended);
          assert.equal(clock.pendingTimers, 0);
        },
      ),
      { numRuns: 80 },
    );
  });
});
