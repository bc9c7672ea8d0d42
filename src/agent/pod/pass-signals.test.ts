import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { PassSignals } from './pass-signals.ts';

function setUp() {
  const clock = new FakeClock();
  const stop = new AbortController();
  return { clock, stop, pass: new PassSignals(stop.signal, clock) };
}

const state = ({ signal, callSignal }: PassSignals): boolean[] => [signal.aborted, callSignal.aborted];

describe('PassSignals', () => {
  it('an interruption ends waits at once and calls a moment later', async () => {
    const { clock, pass } = setUp();
    assert.deepEqual(state(pass), [false, false]);
    pass.interrupt(new Error('the pod ends'));
    assert.deepEqual(state(pass), [true, false]);
    await clock.advance(1_999);
    pass.interrupt(new Error('again'));
    assert.deepEqual(state(pass), [true, false]);
    await clock.advance(1);
    assert.deepEqual(state(pass), [true, true]);
    assert.match(String(pass.callSignal.reason), /the pod ends/);
    assert.equal(clock.pendingTimers, 0);
  });

  it('a stop of the agent ends waits at once, and calls that have not ended in five seconds', async () => {
    const { clock, stop, pass } = setUp();
    stop.abort();
    assert.deepEqual(state(pass), [true, false]);
    await clock.advance(4_999);
    assert.deepEqual(state(pass), [true, false]);
    await clock.advance(1);
    assert.deepEqual(state(pass), [true, true]);
    assert.equal(clock.pendingTimers, 0);
  });

  it('a stop of the agent gives calls of an interrupted pass no more time', async () => {
    const { clock, stop, pass } = setUp();
    pass.interrupt(new Error('the pod ends'));
    stop.abort();
    await clock.advance(2_000);
    assert.deepEqual(state(pass), [true, true]);
  });

  it('a pass that is over leaves no timer', () => {
    const { clock, pass } = setUp();
    pass.interrupt(new Error('the pod ends'));
    pass[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
  });

  it('a pass that is over leaves nothing at the signal of the agent', () => {
    const { stop, pass } = setUp();
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
    pass[Symbol.dispose]();
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  });

  it('a pass that is over ends what it left under way, for that reason alone', () => {
    const { clock, pass } = setUp();
    pass[Symbol.dispose]();
    pass.interrupt(new Error('late'));
    assert.deepEqual(state(pass), [true, true]);
    for (const { reason } of [pass.signal, pass.callSignal]) assert.match(String(reason), /the pass is over/);
    assert.equal(clock.pendingTimers, 0);
  });
});
