import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RankedQueue } from './ranked-queue.ts';

describe('RankedQueue', () => {
  const { signal: never } = new AbortController();

  it('property: lets the smallest rank go first, equal ranks in order of arrival', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), async (ranks) => {
        const queue = new RankedQueue();
        const went: [rank: number, arrival: number][] = [];
        const waits = ranks.map((rank, arrival) =>
          queue.wait(rank, never).then(() => void went.push([rank, arrival])),
        );
        assert.equal(queue.size, ranks.length);
        while (queue.letGo());
        await Promise.all(waits);
        const expected = ranks.map((rank, arrival): [number, number] => [rank, arrival]);
        assert.deepEqual(
          went,
          expected.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
        );
        assert.equal(queue.size, 0);
      }),
    );
  });

  it('counts the callers before a rank', () => {
    const queue = new RankedQueue();
    for (const rank of [3, 1, 2, 3]) void queue.wait(rank, never);
    assert.deepEqual(
      [1, 2, 3, 4].map((rank) => queue.countBefore(rank)),
      [0, 1, 2, undefined],
    );
  });

  it('drops a caller whose signal aborts and gives its turn to the next', async () => {
    const queue = new RankedQueue();
    const stop = new AbortController();
    const left = assert.rejects(queue.wait(1, stop.signal), /enough/);
    const next = queue.wait(2, never);
    stop.abort(new Error('enough'));
    await left;
    assert.equal(queue.size, 1);
    assert.equal(queue.letGo(), true);
    await next;
    assert.equal(queue.letGo(), false);
    await assert.rejects(queue.wait(1, stop.signal), /enough/);
    assert.equal(queue.size, 0);
  });

  it('leaves no listener on the signal of a caller that went', async () => {
    const queue = new RankedQueue();
    const { signal } = new AbortController();
    const went = queue.wait(1, signal);
    queue.letGo();
    await went;
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
