import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { DrawnPages } from './drawn-pages.ts';

function expectPage() {
  const clock = new FakeClock();
  const pages = new DrawnPages(clock);
  const gone = new AbortController();
  const { name, drawn } = pages.expect(gone.signal);
  let isDrawn = false;
  void drawn.then(() => {
    isDrawn = true;
  });
  return { clock, pages, gone, name, isDrawn: () => isDrawn };
}

describe('DrawnPages', () => {
  it('waits for the report of that page and no other', async () => {
    const { clock, pages, name, isDrawn } = expectPage();
    const other = pages.expect(new AbortController().signal);
    pages.report(other.name);
    pages.report('unknown');
    await clock.advance(100);
    assert.deepEqual([isDrawn(), pages.size], [false, 1]);
    pages.report(name);
    await clock.advance(0);
    assert.deepEqual([isDrawn(), pages.size], [true, 0]);
    pages.report(name);
  });

  it('waits a quarter of a second for a browser that reports nothing', async () => {
    const { clock, pages, isDrawn } = expectPage();
    await clock.advance(249);
    assert.equal(isDrawn(), false);
    await clock.advance(1);
    assert.deepEqual([isDrawn(), pages.size], [true, 0]);
  });

  it('leaves nothing of a reader that has gone, also before it began', async () => {
    const { clock, pages, gone, isDrawn } = expectPage();
    gone.abort();
    await clock.advance(0);
    assert.deepEqual([isDrawn(), pages.size, clock.pendingTimers], [true, 0, 0]);
    await pages.expect(gone.signal).drawn;
    assert.deepEqual([pages.size, clock.pendingTimers], [0, 0]);
  });
});
