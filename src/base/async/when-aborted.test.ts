import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whenAborted } from './when-aborted.ts';

describe('whenAborted', () => {
  it('waits for the signal, and not for one that aborted before', async () => {
    const stop = new AbortController();
    let isOver = false;
    const over = whenAborted(stop.signal).then(() => {
      isOver = true;
    });
    await Promise.resolve();
    assert.equal(isOver, false);
    stop.abort();
    await over;
    await whenAborted(stop.signal);
  });
});
