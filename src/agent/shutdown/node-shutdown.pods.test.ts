/** Which pods a shutdown ends: those of all sources, also after a start in the middle, and those it gives back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeHostShutdown } from '../../../test/fakes/fake-host-shutdown.ts';
import {
  API_PODS,
  FILE_PODS,
  setUpShutdown,
  startShutdown,
  toPod,
} from '../../../test/fakes/shutdown-harness.ts';
import { toPodUid } from '../../core/model/ids.ts';

type Agent = ReturnType<typeof startShutdown>;

/** A machine whose shutdown began before the agent started. */
function machineGoingDown(): FakeHostShutdown {
  const host = new FakeHostShutdown();
  host.isPending = true;
  host.isLocked = true;
  return host;
}

function terminationOf({ desired }: Agent, name: string) {
  return desired.records.get(toPodUid(name))?.termination;
}

describe('NodeShutdown of an agent that starts in the middle', () => {
  it('ends the pods that ran in their order once all sources are seen, and rejects none of them', async () => {
    const agent = startShutdown(machineGoingDown());
    const { clock, host, desired, state, start, end, ending } = agent;
    void start();
    await clock.advance(100);
    assert.deepEqual(host.calls, ['connect', 'isPending']);
    desired.deliver('api', API_PODS);
    await clock.advance(100);
    assert.deepEqual([ending, state.get('shutdown')], [[], undefined]);
    desired.deliver('file', FILE_PODS);
    await clock.advance(0);
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.deepEqual(ending, ['usual', 'static']);
    for (const name of ['usual', 'static']) {
      assert.equal(terminationOf(agent, name)?.cause, 'shutdown');
      end(name);
    }
    await clock.advance(0);
    assert.equal(terminationOf(agent, 'critical')?.cause, 'shutdown');
    assert.equal(host.isLocked, true);
    end('critical');
    await clock.advance(0);
    assert.equal(host.isLocked, false);
  });

  it('waits for a source no longer than the pods have time, then ends those it knows', async () => {
    const { clock, host, desired, logger, start, end, ending } = startShutdown(machineGoingDown());
    void start();
    desired.deliver('file', FILE_PODS);
    await clock.advance(29_999);
    assert.deepEqual([ending, host.isLocked], [[], true]);
    await clock.advance(1);
    assert.deepEqual(ending, ['static']);
    assert.equal(logger.lines.filter(({ message }) => /not all sources of pods/.test(message)).length, 1);
    end('static');
    await clock.advance(0);
    assert.equal(host.isLocked, false);
  });

  it('ends nothing and takes the lock when the shutdown is called off before the sources are seen', async () => {
    const { clock, host, desired, state, start, ending, nodeEvents } = startShutdown(machineGoingDown());
    void start();
    await clock.advance(100);
    host.announce(false);
    await clock.advance(0);
    desired.deliver('api', API_PODS);
    desired.deliver('file', FILE_PODS);
    await clock.advance(40_000);
    assert.deepEqual([ending, state.get('shutdown')], [[], undefined]);
    assert.equal(host.calls.at(-1), 'takeLock');
    assert.deepEqual(nodeEvents(), [
      'Shutdown: Shutdown manager detected shutdown event',
      'Shutdown: Shutdown manager detected shutdown cancellation',
    ]);
  });

  it('goes on waiting for the sources over a lost connection', async () => {
    const { clock, host, desired, start, ending } = startShutdown(machineGoingDown());
    void start();
    await clock.advance(0);
    host.lose();
    host.failures.set('connect', 'no bus');
    desired.deliver('api', API_PODS);
    desired.deliver('file', FILE_PODS);
    await clock.advance(0);
    assert.deepEqual(ending, ['usual', 'static']);
  });

  it('stops waiting for the sources when the agent stops, and leaves the lock', async () => {
    const { clock, host, start, stop } = startShutdown(machineGoingDown());
    const running = start();
    await clock.advance(0);
    stop.abort();
    await running;
    assert.equal(host.isLocked, true);
  });
});

describe('NodeShutdown and pods that end otherwise', () => {
  it('waits for pods that were refused or removed while they ran, with no more than the time of the group', async () => {
    const agent = setUpShutdown();
    const { clock, host, desired, start, end } = agent;
    desired.reject(toPodUid('usual'), { reason: 'AppArmor', message: 'no such profile' });
    desired.deliver('file', []);
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    const { cause, graceSeconds, verdict } = terminationOf(agent, 'usual') ?? {};
    assert.deepEqual([cause, graceSeconds, verdict?.reason], ['rejected', 20, 'AppArmor']);
    const removed = terminationOf(agent, 'static');
    assert.deepEqual([removed?.cause, removed?.graceSeconds], ['removed', 20]);
    end('usual');
    await clock.advance(0);
    assert.equal(terminationOf(agent, 'critical'), undefined);
    end('static');
    await clock.advance(0);
    assert.equal(terminationOf(agent, 'critical')?.cause, 'shutdown');
  });

  it('leaves pods alone that were over before the agent saw them', async () => {
    const agent = startShutdown();
    const { clock, host, desired, start } = agent;
    desired.deliver('api', [{ ...toPod('failed', 0), status: { phase: 'Failed' } }]);
    desired.deliver('file', []);
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    const { cause, verdict } = terminationOf(agent, 'failed') ?? {};
    assert.deepEqual([cause, verdict, host.isLocked], ['completed', undefined, false]);
  });

  it('takes static pods that it refused when the shutdown is called off, and no others', async () => {
    const agent = setUpShutdown();
    const { clock, host, desired, start } = agent;
    desired.reject(toPodUid('static'), { reason: 'AppArmor', message: 'no such profile' });
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    desired.deliver('file', [...FILE_PODS, toPod('late', 0)]);
    desired.deliver('api', [...API_PODS, toPod('late-api', 0)]);
    assert.equal(terminationOf(agent, 'late')?.verdict?.reason, 'NodeShutdown');
    host.announce(false);
    await clock.advance(0);
    const causes = ['late', 'late-api', 'static'].map((name) => terminationOf(agent, name)?.cause);
    assert.deepEqual(causes, ['removed', 'rejected', 'rejected']);
    desired.forget(toPodUid('late'));
    assert.equal(desired.records.has(toPodUid('late')), true);
    assert.equal(terminationOf(agent, 'late'), undefined);
  });
});
