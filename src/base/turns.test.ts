import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Turns } from './turns.ts';

describe('Turns', () => {
  it('lets work of one key wait and that of another go on', async () => {
    const turns = new Turns();
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const first = turns.take('a', async () => {
      await gate.promise;
      log.push('a1');
    });
    const second = turns.take('a', async () => void log.push('a2'));
    await turns.take('b', async () => void log.push('b1'));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(log, ['b1', 'a1', 'a2']);
    assert.equal(turns.size, 0);
  });

  it('goes on after a failure, which only its caller hears of', async () => {
    const turns = new Turns();
    const failed = turns.take('a', async () => Promise.reject(new Error('no')));
    const next = turns.take('a', async () => 'yes');
    await assert.rejects(failed, /no/);
    assert.equal(await next, 'yes');
    assert.equal(turns.size, 0);
  });
});
