import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { StorageCalls } from './storage-calls.ts';

function setUp(width = 2) {
  const clock = new FakeClock();
  const calls = new StorageCalls({ clock, width, timeoutMs: 30_000 });
  const started: string[] = [];
  /** A call that answers when the test says so. */
  const hang = (path: string, discard?: (late: string) => void) => {
    const answer = Promise.withResolvers<string>();
    const run = () => {
      started.push(path);
      return answer.promise;
    };
    const result = calls.run({ verb: 'open', path, run, discard });
    result.catch(() => {});
    return { result, answer: (text: string) => answer.resolve(text) };
  };
  return { clock, calls, started, hang };
}

describe('StorageCalls', () => {
  it('hands on answers and failures, and leaves no timer', async () => {
    const { clock, calls } = setUp();
    assert.equal(await calls.run({ verb: 'stat', path: '/a', run: async () => 7 }), 7);
    const failed = calls.run({ verb: 'stat', path: '/a', run: () => Promise.reject(new Error('ENOENT')) });
    await assert.rejects(failed, /ENOENT/);
    assert.equal(clock.pendingTimers, 0);
  });

  it('lets so many calls hang and no more; the others wait their turn', async () => {
    const { clock, started, hang } = setUp(2);
    const first = hang('/a');
    hang('/b');
    const third = hang('/c');
    await clock.settle();
    assert.deepEqual(started, ['/a', '/b']);
    first.answer('a');
    await clock.settle();
    assert.deepEqual(started, ['/a', '/b', '/c']);
    third.answer('c');
    assert.deepEqual([await first.result, await third.result], ['a', 'c']);
  });

  it('gives a call up in time, and does not try its place again before it has come back', async () => {
    const { clock, calls, hang } = setUp(2);
    const late: string[] = [];
    const dead = hang('/dead', (value) => late.push(value));
    await clock.advance(30_000);
    await assert.rejects(dead.result, {
      code: 'deadline-exceeded',
      message: 'cannot open "/dead": no answer within 30s; is the storage behind it there?',
    });
    await assert.rejects(hang('/dead').result, /an earlier call there has not come back/);
    assert.deepEqual(calls.stuck, ['/dead']);
    assert.equal(await calls.run({ verb: 'stat', path: '/alive', run: async () => 1 }), 1);
    dead.answer('handle');
    await clock.settle();
    assert.deepEqual([calls.stuck, late], [[], ['handle']], 'what comes too late is closed');
    const again = hang('/dead');
    again.answer('well');
    assert.equal(await again.result, 'well');
    assert.equal(clock.pendingTimers, 0);
  });

  it('says what hangs to those that get no turn', async () => {
    const { clock, started, hang } = setUp(1);
    hang('/dead');
    await clock.advance(10_000);
    const waiting = hang('/b');
    await clock.advance(30_000);
    await assert.rejects(waiting.result, /cannot open "\/b": no answer within 30s; other calls hang: \/dead/);
    assert.deepEqual(started, ['/dead']);
  });
});
