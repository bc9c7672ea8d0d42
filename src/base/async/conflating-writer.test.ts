import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { ConflatingWriter } from './conflating-writer.ts';

function setUp({ delayMs }: { readonly delayMs?: number } = {}) {
  const clock = new FakeClock();
  const failures: unknown[] = [];
  const under: PromiseWithResolvers<void>[] = [];
  const writer = new ConflatingWriter({
    write: () => {
      const one = Promise.withResolvers<void>();
      under.push(one);
      return one.promise;
    },
    clock,
    ...(delayMs === undefined ? {} : { delayMs: () => delayMs }),
    onFailure: (error) => failures.push(error),
  });
  return { clock, failures, under, writer };
}

describe('ConflatingWriter', () => {
  it('writes at once without a delay, and what changes meanwhile in one further write', async () => {
    const { under, writer } = setUp();
    writer.schedule();
    assert.equal(under.length, 1);
    writer.schedule();
    writer.schedule();
    assert.equal(under.length, 1);
    under[0]?.resolve();
    const flushed = writer.flush();
    await new Promise(setImmediate);
    assert.equal(under.length, 2);
    under[1]?.resolve();
    await flushed;
    assert.equal(under.length, 2);
  });

  it('waits for the delay from the first change, also of a change during a write', async () => {
    const { clock, under, writer } = setUp({ delayMs: 500 });
    writer.schedule();
    await clock.advance(499);
    writer.schedule();
    assert.equal(under.length, 0);
    await clock.advance(1);
    assert.equal(under.length, 1);
    writer.schedule();
    under[0]?.resolve();
    await clock.advance(499);
    assert.equal(under.length, 1);
    await clock.advance(1);
    assert.equal(under.length, 2);
  });

  it('flush writes what waits, and nothing when nothing does', async () => {
    const { clock, under, writer } = setUp({ delayMs: 500 });
    await writer.flush();
    assert.equal(under.length, 0);
    writer.schedule();
    const flushed = writer.flush();
    under[0]?.resolve();
    await flushed;
    await clock.advance(1_000);
    assert.equal(under.length, 1);
  });

  it('a failure of a scheduled write is reported once, and the next change writes again', async () => {
    const { failures, under, writer } = setUp();
    writer.schedule();
    const full = new Error('full');
    under[0]?.reject(full);
    await writer.flush();
    assert.deepEqual(failures, [full]);
    writer.schedule();
    assert.equal(under.length, 2);
  });

  it('tries again without a change until it is written, ever less often, and reports the first failure', async () => {
    const { clock, failures, under, writer } = setUp({ delayMs: 500 });
    writer.schedule();
    await clock.advance(500);
    for (const [index, delayMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
      under[index]?.reject(new Error('full'));
      await clock.advance(delayMs - 1);
      assert.equal(under.length, index + 1);
      await clock.advance(1);
      assert.equal(under.length, index + 2);
    }
    under.at(-1)?.resolve();
    await clock.advance(600_000);
    assert.equal(under.length, 8);
    assert.equal(failures.length, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  it('a change need not wait for the next try', async () => {
    const { clock, under, writer } = setUp({ delayMs: 500 });
    writer.schedule();
    await clock.advance(500);
    under[0]?.reject(new Error('full'));
    await clock.advance(1);
    writer.schedule();
    await clock.advance(500);
    assert.equal(under.length, 2);
    under[1]?.resolve();
    await clock.settle();
    assert.equal(clock.pendingTimers, 0);
  });

  it('flush tries once more what failed, and leaves no timer behind', async () => {
    const { clock, under, writer } = setUp();
    writer.schedule();
    under[0]?.reject(new Error('full'));
    await clock.settle();
    const flushed = writer.flush();
    assert.equal(under.length, 2);
    under[1]?.reject(new Error('full'));
    await flushed;
    assert.equal(clock.pendingTimers, 0);
  });

  it('what was scheduled is tried again although a write that was waited for failed', async () => {
    for (const delayMs of [undefined, 500]) {
      const { clock, under, writer } = setUp(delayMs === undefined ? {} : { delayMs });
      writer.schedule();
      if (delayMs === undefined) {
        under.shift()?.reject(new Error('full'));
        await clock.settle();
      }
      const written = writer.writeNow();
      under.shift()?.reject(new Error('full'));
      await assert.rejects(written, /full/);
      await clock.advance(2_000);
      assert.equal(under.length, 1);
      under.shift()?.resolve();
      await clock.settle();
      assert.equal(clock.pendingTimers, 0);
    }
  });

  it('a change during a write that fails is written anyway', async () => {
    const { failures, under, writer } = setUp();
    writer.schedule();
    writer.schedule();
    under[0]?.reject(new Error('full'));
    await new Promise(setImmediate);
    under[1]?.resolve();
    await writer.flush();
    assert.deepEqual([under.length, failures], [2, []]);
  });

  it('writeNow rejects as its write does, and retries when called again', async () => {
    const { failures, under, writer } = setUp({ delayMs: 500 });
    const first = writer.writeNow();
    under[0]?.reject(new Error('full'));
    await assert.rejects(first, /full/);
    const second = writer.writeNow();
    under[1]?.resolve();
    await second;
    assert.deepEqual(failures, []);
  });

  it('a write that throws before it begins is a failure like any other', async () => {
    const writer = new ConflatingWriter({
      clock: new FakeClock(),
      write: () => {
        throw new Error('no JSON');
      },
      onFailure: () => {},
    });
    await assert.rejects(writer.writeNow(), /no JSON/);
    await assert.rejects(writer.writeNow(), /no JSON/);
  });
});
