import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { streamChanges } from './watch-stream.ts';

function follow(entries: Map<string, unknown>): {
  lines: () => unknown[];
  change: () => void;
  listeners: Set<() => void>;
  written: () => Promise<void>;
  stop: () => Promise<void>;
} {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let text = '';
  let onWrite = Promise.withResolvers<void>();
  const sink = {
    write: async (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
      onWrite.resolve();
      onWrite = Promise.withResolvers<void>();
    },
  };
  const list = {
    read: () => entries,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const ended = streamChanges(list, sink, new FakeClock(), stop.signal);
  return {
    lines: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as unknown),
    change: () => {
      for (const listener of listeners) listener();
    },
    listeners,
    written: () => onWrite.promise,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

describe('streamChanges', () => {
  it('begins with the current entries and continues with additions, changes and removals', async () => {
    const entries = new Map<string, unknown>([
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ]);
    const watch = follow(entries);
    entries.delete('a');
    entries.set('b', { n: 3 });
    entries.set('c', { n: 4 });
    const written = watch.written();
    await new Promise((resolve) => setImmediate(resolve));
    watch.change();
    await written;
    await watch.stop();
    assert.deepEqual(watch.lines(), [
      { type: 'ADDED', object: { n: 1 } },
      { type: 'ADDED', object: { n: 2 } },
      { type: 'DELETED', object: { n: 1 } },
      { type: 'MODIFIED', object: { n: 3 } },
      { type: 'ADDED', object: { n: 4 } },
    ]);
  });

  it('sends nothing when nothing has changed, and leaves no listener behind', async () => {
    const watch = follow(new Map([['a', 1]]));
    await new Promise((resolve) => setImmediate(resolve));
    watch.change();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(watch.lines().length, 1);
    assert.equal(watch.listeners.size, 1);
    await watch.stop();
    assert.equal(watch.listeners.size, 0);
  });
});
