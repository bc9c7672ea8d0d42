import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Mutex } from './mutex.ts';

describe('Mutex', () => {
  it('runs one after the other, in the order asked for', async () => {
    const mutex = new Mutex();
    const first = Promise.withResolvers<void>();
    const log: string[] = [];
    const one = mutex.run(async () => {
      log.push('one begins');
      await first.promise;
      log.push('one ends');
    });
    const two = mutex.run(async () => void log.push('two'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(log, ['one begins']);
    assert.equal(mutex.isIdle, false);
    first.resolve();
    await Promise.all([one, two]);
    assert.deepEqual(log, ['one begins', 'one ends', 'two']);
    assert.equal(mutex.isIdle, true);
  });

  it('continues after a failure, thrown or rejected, which only its caller gets', async () => {
    const mutex = new Mutex();
    const thrown = mutex.run(() => {
      throw new Error('thrown');
    });
    const rejected = mutex.run(async () => Promise.reject(new Error('rejected')));
    const next = mutex.run(async () => 'yes');
    await assert.rejects(thrown, /thrown/);
    await assert.rejects(rejected, /rejected/);
    assert.equal(await next, 'yes');
    assert.equal(mutex.isIdle, true);
  });
});
