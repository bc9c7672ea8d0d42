import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import { SharedReading } from './shared-reading.ts';

function setUp() {
  const clock = new FakeClock();
  const made: PromiseWithResolvers<{ atMs: number; n: number }>[] = [];
  const shared = new SharedReading(clock, () => {
    const next = Promise.withResolvers<{ atMs: number; n: number }>();
    made.push(next);
    return next.promise;
  });
  const never = new AbortController().signal;
  const read = (maxAgeMs: number, signal = never) => shared.read({ maxAgeMs, signal });
  const finish = (index: number, atMs = clock.now()): void => made[index]?.resolve({ atMs, n: index });
  return { clock, made, shared, read, finish };
}

describe('SharedReading', () => {
  it('makes nothing before a caller asks, and one reading for callers that come together', async () => {
    const { made, read, finish } = setUp();
    assert.equal(made.length, 0);
    const both = Promise.all([read(0), read(0)]);
    finish(0);
    const [a, b] = await both;
    assert.equal(a, b);
    assert.equal(made.length, 1);
  });

  it('serves who accepts its age', async () => {
    const { clock, made, read, finish } = setUp();
    const first = read(0);
    finish(0);
    await first;
    await clock.advance(5000);
    assert.equal((await read(5000)).n, 0);
    const fresh = read(4999);
    finish(1);
    assert.equal((await fresh).n, 1);
    assert.equal(made.length, 2);
  });

  it('makes another after one that was begun too early', async () => {
    const { clock, made, read, finish } = setUp();
    const slow = read(0);
    const atMs = clock.now();
    await clock.advance(3000);
    const fresh = read(0);
    const patient = read(3000);
    assert.equal(made.length, 1);
    finish(0, atMs);
    assert.equal((await slow).n, 0);
    assert.equal((await patient).n, 0);
    await new Promise(setImmediate);
    finish(1);
    assert.equal((await fresh).n, 1);
  });

  it('lets a caller leave, and makes the reading for the others', async () => {
    const { read, finish } = setUp();
    const leaving = new AbortController();
    const left = read(0, leaving.signal);
    const stays = read(0);
    leaving.abort();
    await assert.rejects(left, (error) => hasCode(error, 'cancelled'));
    finish(0);
    assert.equal((await stays).n, 0);
  });

  it('does not keep a failure', async () => {
    const { made, read, finish } = setUp();
    const failed = read(1000);
    made[0]?.reject(new AgentError('unavailable', 'no'));
    await assert.rejects(failed, /no/);
    const again = read(1000);
    finish(1);
    assert.equal((await again).n, 1);
  });
});
