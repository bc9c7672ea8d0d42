import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TimedCall, timeCalls } from './timed-calls.ts';

class Shop {
  #sold = 0;
  readonly name = 'corner';

  async sell(count: number): Promise<number> {
    this.#sold += count;
    return this.#sold;
  }

  async fail(): Promise<void> {
    throw new Error('closed');
  }

  sold(): number {
    return this.#sold;
  }
}

describe('timeCalls', () => {
  it('reports calls that succeed and fail, and changes no result', async () => {
    let nowMs = 0;
    const calls: TimedCall[] = [];
    const clock = { steady: () => (nowMs += 5) };
    const shop = timeCalls(new Shop(), clock, (call) => calls.push(call));
    assert.equal(await shop.sell(3), 3);
    await assert.rejects(shop.fail(), /closed/);
    assert.deepEqual([shop.sold(), shop.name], [3, 'corner']);
    assert.deepEqual(
      calls.map(({ method, args, durationMs, error }) => [method, args, durationMs, error instanceof Error]),
      [
        ['sell', [3], 5, false],
        ['fail', [], 5, true],
      ],
    );
  });
});
