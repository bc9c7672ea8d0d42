import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { onAbort } from './on-abort.ts';

describe('onAbort', () => {
  it('calls when the signal aborts, once', () => {
    const stop = new AbortController();
    let calls = 0;
    onAbort(stop.signal, () => calls++);
    assert.equal(calls, 0);
    stop.abort();
    stop.abort();
    assert.equal(calls, 1);
  });

  it('calls at once for a signal that has aborted', () => {
    let calls = 0;
    using _listening = onAbort(AbortSignal.abort(), () => calls++);
    assert.equal(calls, 1);
  });

  it('calls nothing and leaves no listener when disposed', () => {
    const stop = new AbortController();
    const listening = onAbort(stop.signal, () => assert.fail('called'));
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
    listening[Symbol.dispose]();
    listening[Symbol.dispose]();
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
    stop.abort();
  });

  it('keeps listeners with the same function apart', () => {
    const stop = new AbortController();
    let calls = 0;
    const run = (): void => void calls++;
    const first = onAbort(stop.signal, run);
    onAbort(stop.signal, run);
    first[Symbol.dispose]();
    stop.abort();
    assert.equal(calls, 1);
  });

  it('has one listener on the signal for all that listen, and calls those that still do, in their order', () => {
    const stop = new AbortController();
    const calls: string[] = [];
    const first = onAbort(stop.signal, () => calls.push('first'));
    onAbort(stop.signal, () => {
      calls.push('second');
      fourth[Symbol.dispose]();
    });
    onAbort(stop.signal, () => calls.push('third'));
    const fourth = onAbort(stop.signal, () => calls.push('fourth'));
    first[Symbol.dispose]();
    assert.equal(getEventListeners(stop.signal, 'abort').length, 1);
    stop.abort();
    assert.deepEqual(calls, ['second', 'third']);
    assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
  });

  it('never calls without a signal', () => {
    using _listening = onAbort(undefined, () => assert.fail('called'));
  });
});
