import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SharedTimer } from './shared-timer.ts';

class Waits {
  readonly clock = new FakeClock();
  readonly timer = new SharedTimer(this.clock, 100);
  readonly ended: string[] = [];

  start(name: string): Disposable {
    return this.timer.start(() => this.ended.push(name));
  }
}

describe('SharedTimer', () => {
  it('ends each wait at its own time, with one timer for all', async () => {
    const waits = new Waits();
    waits.start('a');
    await waits.clock.advance(40);
    waits.start('b');
    waits.start('c');
    assert.equal(waits.clock.pendingTimers, 1);
    await waits.clock.advance(59);
    assert.deepEqual(waits.ended, []);
    await waits.clock.advance(1);
    assert.deepEqual(waits.ended, ['a']);
    await waits.clock.advance(39);
    assert.deepEqual(waits.ended, ['a']);
    await waits.clock.advance(1);
    assert.deepEqual(waits.ended, ['a', 'b', 'c']);
    assert.equal(waits.clock.pendingTimers, 0);
  });

  it('a wait that is disposed never ends, and those after it end in time', async () => {
    const waits = new Waits();
    const first = waits.start('first');
    await waits.clock.advance(10);
    waits.start('second');
    first[Symbol.dispose]();
    await waits.clock.advance(99);
    assert.deepEqual(waits.ended, []);
    await waits.clock.advance(1);
    assert.deepEqual(waits.ended, ['second']);
  });

  it('leaves no timer when nothing waits', async () => {
    const waits = new Waits();
    const [one, two] = [waits.start('one'), waits.start('two')];
    two[Symbol.dispose]();
    assert.equal(waits.clock.pendingTimers, 1);
    one[Symbol.dispose]();
    assert.equal(waits.clock.pendingTimers, 0);
    one[Symbol.dispose]();
    waits.start('next');
    one[Symbol.dispose]();
    assert.equal(waits.clock.pendingTimers, 1, 'disposing twice takes nothing from others');
    await waits.clock.advance(100);
    assert.deepEqual(waits.ended, ['next']);
  });

  it('ends also when its timer fires early', async () => {
    const waits = new Waits();
    const timer = new SharedTimer(
      { steady: () => 0, startTimer: (ms, run) => waits.clock.startTimer(ms, run) },
      100,
    );
    timer.start(() => waits.ended.push('one'));
    await waits.clock.advance(100);
    assert.deepEqual(waits.ended, ['one']);
    assert.equal(waits.clock.pendingTimers, 0);
  });

  it('ends no wait early because the clock was set ahead', async () => {
    const waits = new Waits();
    waits.start('old');
    await waits.clock.advance(40);
    waits.start('young');
    waits.clock.setBy(5 * 3_600_000);
    await waits.clock.advance(60);
    assert.deepEqual(waits.ended, ['old']);
    await waits.clock.advance(40);
    assert.deepEqual(waits.ended, ['old', 'young']);
  });

  it('one that ends may dispose another that is due, and start the next', async () => {
    const waits = new Waits();
    const timer = new SharedTimer(waits.clock, 10);
    timer.start(() => {
      other[Symbol.dispose]();
      timer.start(() => waits.ended.push('later'));
    });
    const other = timer.start(() => waits.ended.push('other'));
    await waits.clock.advance(10);
    assert.deepEqual(waits.ended, []);
    await waits.clock.advance(10);
    assert.deepEqual(waits.ended, ['later']);
    assert.equal(waits.clock.pendingTimers, 0);
  });
});
