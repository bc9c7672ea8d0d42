import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SingleFlight } from './single-flight.ts';

describe('SingleFlight', () => {
  it('asks once for concurrent callers, and again later', async () => {
    const flights = new SingleFlight<number>();
    let asked = 0;
    const ask = async (): Promise<number> => ++asked;
    assert.deepEqual(await Promise.all([flights.run('a', ask), flights.run('a', ask)]), [1, 1]);
    assert.deepEqual(await Promise.all([flights.run('a', ask), flights.run('b', ask)]), [2, 3]);
  });

  it('lets one leave while the other waits on', async () => {
    const flights = new SingleFlight<string>();
    const { promise, resolve } = Promise.withResolvers<string>();
    const stop = new AbortController();
    const left = flights.run('a', () => promise, stop.signal);
    const stays = flights.run('a', () => promise);
    stop.abort();
    assert.equal(await left, undefined);
    resolve('here');
    assert.equal(await stays, 'here');
    assert.equal(await flights.run('a', async () => 'new', stop.signal), undefined);
  });

  it('passes a failure to all waiting callers and does not keep it', async () => {
    const flights = new SingleFlight<string>();
    const fail = async (): Promise<string> => {
      throw new Error('no');
    };
    const both = await Promise.allSettled([flights.run('a', fail), flights.run('a', fail)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(await flights.run('a', async () => 'yes'), 'yes');
  });

  it('shows the call under way and forgets it at its end', async () => {
    const flights = new SingleFlight<string>();
    assert.equal(flights.underWay('a'), undefined);
    const { promise, resolve } = Promise.withResolvers<string>();
    const running = flights.run('a', () => promise);
    assert.notEqual(flights.underWay('a'), undefined);
    assert.equal(flights.underWay('b'), undefined);
    resolve('here');
    assert.equal(await running, 'here');
    assert.equal(flights.underWay('a'), undefined);
  });
});
