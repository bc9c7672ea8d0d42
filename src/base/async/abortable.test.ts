import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { abortable, orAborted } from './abortable.ts';

describe('abortable', () => {
  it('settles as the work does and leaves no listener', async () => {
    const { signal } = new AbortController();
    assert.equal(await abortable(Promise.resolve(7), signal), 7);
    await assert.rejects(abortable(Promise.reject(new Error('broken')), signal), /broken/);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('rejects with the reason as soon as the signal aborts, and a later failure is not unhandled', async () => {
    const stop = new AbortController();
    const work = Promise.withResolvers<number>();
    const waiting = abortable(work.promise, stop.signal);
    stop.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
    work.reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('rejects for a signal that has aborted, however the work settles', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(abortable(Promise.resolve(7), stopped), /stopped/);
    await assert.rejects(abortable(Promise.reject(new Error('broken')), stopped), /stopped/);
  });
});

describe('orAborted', () => {
  it('settles as the work does, with or without a signal', async () => {
    const { signal } = new AbortController();
    assert.equal(await orAborted(Promise.resolve(7), signal), 7);
    assert.equal(await orAborted(Promise.resolve(7), undefined), 7);
    await assert.rejects(orAborted(Promise.reject(new Error('broken')), signal), /broken/);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('resolves to undefined as soon as the signal aborts, or has', async () => {
    const stop = new AbortController();
    const waiting = orAborted(new Promise<number>(() => {}), stop.signal);
    stop.abort();
    assert.equal(await waiting, undefined);
    assert.equal(await orAborted(Promise.resolve(7), stop.signal), undefined);
  });
});
