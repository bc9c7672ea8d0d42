import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { sleep } from './clock.ts';
import { Gate } from './gate.ts';
import { SustainedWidth } from './sustained-width.ts';

const STEP_MS = 100;

/** A server that works on `sustained` pieces at once at full speed; more than that share it. */
async function measure(sustained: number, bounds: { least: number; most: number }, pieces: number) {
  const clock = new FakeClock();
  const width = new SustainedWidth(bounds);
  const gate = new Gate(width, { clock, maxHoldMs: 60_000 });
  const { signal } = new AbortController();
  const widths: number[] = [];
  let atOnce = 0;
  const work = async (): Promise<void> => {
    widths.push(++atOnce);
    // As slow as it is crowded when it begins: close enough to a server that shares.
    await sleep(clock, STEP_MS * Math.max(1, atOnce / sustained));
    atOnce--;
  };
  const all = Promise.all(Array.from({ length: pieces }, (_, rank) => gate.run(rank, signal, work)));
  let isOver = false;
  void all.then(() => (isOver = true));
  const beganMs = clock.steady();
  while (!isOver) await clock.advance(STEP_MS / 4);
  return { tookMs: clock.steady() - beganMs, most: Math.max(...widths), last: width.value };
}

describe('SustainedWidth', () => {
  it('grows to what a server sustains that mostly waits', async () => {
    const { last, tookMs } = await measure(12, { least: 3, most: 20 }, 1_000);
    assert.ok(last >= 10 && last <= 14, `width ${last}`);
    assert.ok(tookMs < (1_000 / 3) * STEP_MS * 0.5, `${tookMs} ms`);
  });

  it('stays where it is, except for short trials, beside a server that is busy', async () => {
    const { last, most } = await measure(3, { least: 3, most: 20 }, 500);
    assert.equal(last, 3);
    assert.equal(most, 4);
  });

  it('never leaves its bounds, and never moves where they are one', async () => {
    assert.equal((await measure(50, { least: 2, most: 5 }, 500)).most, 5);
    assert.equal((await measure(50, { least: 2, most: 2 }, 100)).most, 2);
  });

  it('gives back what no longer pays', () => {
    const width = new SustainedWidth({ least: 1, most: 8 });
    let now = 0;
    const end = (sustained: number): void => {
      now += STEP_MS / Math.min(sustained, width.value);
      width.note(now);
    };
    for (let i = 0; i < 500; i++) end(6);
    assert.ok(width.value >= 5, `width ${width.value}`);
    for (let i = 0; i < 5_000; i++) end(2);
    assert.ok(width.value <= 3, `width ${width.value}`);
  });

  it('ends a trial, and keeps what was found, when nothing waits any more', () => {
    const width = new SustainedWidth({ least: 2, most: 8 });
    const countUntilTrial = (): number => {
      let ends = 0;
      for (; width.value === 2; ends++) width.note(ends * STEP_MS);
      return ends;
    };
    const ends = countUntilTrial();
    assert.equal(width.value, 3);
    width.rest();
    assert.equal(width.value, 2);
    assert.equal(countUntilTrial(), ends, 'what comes next is measured from its beginning');
  });

  it('rejects bounds that are none', () => {
    for (const [least, most] of [
      [0, 1],
      [2, 1],
      [1.5, 2],
      [1, Number.NaN],
    ] as const)
      assert.throws(() => new SustainedWidth({ least, most }), /cannot be/);
  });
});
