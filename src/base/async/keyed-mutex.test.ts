import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KeyedMutex } from './keyed-mutex.ts';

describe('KeyedMutex', () => {
  it('lets work of one key wait while that of another continues', async () => {
    const mutex = new KeyedMutex();
    const gate = Promise.withResolvers<void>();
    const log: string[] = [];
    const first = mutex.run('a', async () => {
      await gate.promise;
      log.push('a1');
    });
    const second = mutex.run('a', async () => void log.push('a2'));
    await mutex.run('b', async () => void log.push('b1'));
    gate.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(log, ['b1', 'a1', 'a2']);
    assert.equal(mutex.size, 0);
  });

  it('continues after a failure, which only its caller gets', async () => {
    const mutex = new KeyedMutex();
    const failed = mutex.run('a', async () => Promise.reject(new Error('no')));
    const next = mutex.run('a', async () => 'yes');
    await assert.rejects(failed, /no/);
    assert.equal(await next, 'yes');
    assert.equal(mutex.size, 0);
  });
});
