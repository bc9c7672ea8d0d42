import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { keepListening } from './keep-listening.ts';

describe('keepListening', () => {
  it('opens the listener once and stops it with the signal', async () => {
    const { settings, calls, clock } = make(0);
    const stop = new AbortController();
    const ended = keepListening(settings, stop.signal);
    await clock.settle();
    assert.deepEqual(calls, ['start', 'open 80']);
    stop.abort();
    await ended;
    assert.deepEqual(calls, ['start', 'open 80', 'stop']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('tries a taken address again, later each time, and reports it once', async () => {
    const { settings, calls, clock } = make(2);
    const stop = new AbortController();
    const ended = keepListening(settings, stop.signal);
    await clock.advance(4_999);
    assert.deepEqual(calls, ['start', 'taken']);
    await clock.advance(1);
    assert.deepEqual(calls, ['start', 'taken', 'start']);
    await clock.advance(9_999);
    assert.equal(calls.length, 3);
    await clock.advance(1);
    assert.deepEqual(calls.slice(3), ['start', 'open 80']);
    stop.abort();
    await ended;
    assert.equal(calls.at(-1), 'stop');
  });

  it('leaves no timer and starts nothing when stopped before or while it waits', async () => {
    const early = make(0);
    await keepListening(early.settings, AbortSignal.abort());
    assert.deepEqual(early.calls, ['stop']);

    const { settings, calls, clock } = make(9);
    const stop = new AbortController();
    const ended = keepListening(settings, stop.signal);
    await clock.settle();
    assert.equal(clock.pendingTimers, 1);
    stop.abort();
    await ended;
    assert.deepEqual(calls, ['start', 'taken', 'stop']);
    assert.equal(clock.pendingTimers, 0);
  });
});

function make(failures: number): {
  settings: Parameters<typeof keepListening>[0];
  calls: string[];
  clock: FakeClock;
} {
  const clock = new FakeClock();
  const calls: string[] = [];
  let left = failures;
  const listener = {
    start: async () => {
      calls.push('start');
      if (left-- > 0) throw new Error('taken');
      return 80;
    },
    stop: async () => void calls.push('stop'),
  };
  const settings = {
    listener,
    retryMs: 5_000,
    clock,
    onOpen: (port: number) => void calls.push(`open ${port}`),
    onUnavailable: (error: unknown) => void calls.push((error as Error).message),
  };
  return { settings, calls, clock };
}
