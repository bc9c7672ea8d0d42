import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeHostShutdown } from '../../../test/fakes/fake-host-shutdown.ts';
import { SHUTDOWN_STATE_PATH as PATH, setUpShutdown as setUp } from '../../../test/fakes/shutdown-harness.ts';
import { toPodUid } from '../../core/model/ids.ts';

describe('NodeShutdown', () => {
  it('asks for a delay that is long enough and takes the lock', async () => {
    const { clock, host, state, start, stop } = setUp();
    const running = start();
    assert.equal(state.get('shutdownGuard')?.kind, 'missing');
    await clock.advance(0);
    assert.deepEqual(host.calls, [
      ...['connect', 'isPending', 'readDelayMs', 'raiseDelay 30', 'readDelayMs', 'takeLock'],
    ]);
    assert.deepEqual(state.get('shutdownGuard'), { kind: 'held' });
    assert.equal(state.get('shutdown'), undefined);
    stop.abort();
    await running;
    assert.equal(host.isLocked, false);
    assert.equal(host.calls.at(-1), 'hang up');
  });

  it('leaves a delay that is long enough alone', async () => {
    const host = new FakeHostShutdown();
    host.delayMs = 30_000;
    const { clock, start } = setUp(host);
    void start();
    await clock.advance(0);
    assert.deepEqual(host.calls, ['connect', 'isPending', 'readDelayMs', 'takeLock']);
  });

  it('holds the lock for as long as it can, and says so, where the machine keeps its limit', async () => {
    const host = new FakeHostShutdown();
    host.keepsDelay = true;
    const { clock, state, start } = setUp(host);
    void start();
    await clock.advance(1_499);
    assert.equal(host.isLocked, false);
    await clock.advance(1);
    assert.equal(host.isLocked, true);
    assert.equal(host.calls.filter((call) => call === 'readDelayMs').length, 6);
    assert.deepEqual(state.get('shutdownGuard'), {
      kind: 'short',
      problem:
        'node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 30s (ShutdownGracePeriod), current value is 5s',
    });
  });

  it('says why there is no lock, once, and tries again ever more slowly', async () => {
    const host = new FakeHostShutdown();
    host.failures.set('takeLock', 'no inhibitor');
    const { clock, logger, state, start } = setUp(host);
    void start();
    await clock.advance(0);
    assert.deepEqual(state.get('shutdownGuard'), { kind: 'missing', problem: 'no inhibitor' });
    await clock.advance(3_000);
    assert.equal(host.calls.filter((call) => call === 'connect').length, 3);
    const warnings = logger.lines.filter(({ message }) => /does not wait for pods/.test(message));
    assert.equal(warnings.length, 1);
    host.failures.clear();
    await clock.advance(4_000);
    assert.deepEqual(state.get('shutdownGuard'), { kind: 'held' });
  });

  it('ends pods group by group, then reports and keeps the times, and only then lets the machine go', async () => {
    const all = setUp();
    const { clock, host, desired, files, state, world, start, end, ending, nodeEvents, shutdown } = all;
    const reported = Promise.withResolvers<void>();
    world.unreported = reported.promise;
    void start();
    await clock.advance(0);
    const startMs = clock.now();
    host.announce(true);
    await clock.advance(0);
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.deepEqual(nodeEvents(), ['Shutdown: Shutdown manager detected shutdown event']);
    assert.deepEqual(ending, ['usual', 'static']);
    const { cause, graceSeconds, verdict } = desired.records.get(toPodUid('usual'))?.termination ?? {};
    assert.deepEqual([cause, graceSeconds, verdict?.reason], ['shutdown', 20, 'Terminated']);
    assert.deepEqual(shutdown.times, { startMs, endMs: undefined });
    end('usual');
    end('static');
    await clock.advance(0);
    assert.deepEqual(ending, ['usual', 'static', 'critical']);
    await clock.advance(2_000);
    end('critical');
    await clock.advance(0);
    assert.equal(host.isLocked, true);
    reported.resolve();
    await clock.advance(0);
    assert.equal(host.isLocked, false);
    assert.deepEqual(shutdown.times, { startMs, endMs: startMs + 2_000 });
    assert.equal(
      files.get(PATH),
      `{"startTime":"${new Date(startMs).toISOString()}","endTime":"${new Date(startMs + 2_000).toISOString()}"}`,
    );
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.equal(host.calls.filter((call) => call === 'releaseLock').length, 1);
  });

  it('gives a group its whole time when the clock is set ahead', async () => {
    const { clock, host, start, end, ending } = setUp();
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(5_000);
    clock.setBy(5 * 3_600_000);
    end('usual');
    await clock.advance(14_999);
    assert.deepEqual(ending, ['usual', 'static']);
    await clock.advance(1);
    assert.deepEqual(ending, ['usual', 'static', 'critical']);
  });

  it('waits for volumes, and for no group longer than its time', async () => {
    const { clock, host, held, start, end, ending } = setUp();
    held.add('usual').add('critical');
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    end('usual');
    end('static');
    await clock.advance(5_000);
    assert.deepEqual(ending, ['usual', 'static']);
    held.delete('usual');
    await clock.advance(250);
    assert.deepEqual(ending, ['usual', 'static', 'critical']);
    await clock.advance(9_999);
    assert.equal(host.isLocked, true);
    await clock.advance(1);
    assert.equal(host.isLocked, false);
  });

  it('does not wait for reports that do not get through', async () => {
    const { clock, host, world, start, end } = setUp();
    world.unreported = new Promise(() => {});
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    for (const name of ['usual', 'static', 'critical']) end(name);
    await clock.advance(0);
    assert.equal(host.isLocked, true);
    await clock.advance(5_000);
    assert.equal(host.isLocked, false);
  });

  it('spares what has not been asked to end when the shutdown is called off, and starts static pods again', async () => {
    const { clock, host, desired, state, start, end, ending, nodeEvents } = setUp();
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    end('static');
    host.announce(false);
    await clock.advance(0);
    assert.equal(state.get('shutdown'), undefined);
    assert.deepEqual(ending, ['usual', 'static']);
    assert.equal(nodeEvents().at(-1), 'Shutdown: Shutdown manager detected shutdown cancellation');
    assert.equal(desired.records.get(toPodUid('static'))?.termination?.cause, 'removed');
    assert.equal(desired.records.get(toPodUid('usual'))?.termination?.cause, 'shutdown');
    desired.forget(toPodUid('static'));
    assert.equal(desired.records.get(toPodUid('static'))?.termination, undefined);
    assert.equal(desired.records.has(toPodUid('static')), true);
    assert.equal(host.calls.at(-1), 'takeLock');
    // And the next one is a shutdown like any other.
    host.announce(true);
    await clock.advance(0);
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.equal(ending.includes('critical'), false);
    await clock.advance(20_000);
    assert.equal(ending.includes('critical'), true);
  });

  it('takes the lock again when a shutdown is called off after its end', async () => {
    const { clock, host, state, start } = setUp();
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(40_000);
    assert.equal(host.isLocked, false);
    host.announce(false);
    await clock.advance(0);
    assert.equal(host.isLocked, true);
    assert.equal(state.get('shutdown'), undefined);
  });

  it('sees two signals that came at once in their order', async () => {
    const { clock, host, state, start, nodeEvents } = setUp();
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    host.announce(false);
    host.announce(true);
    await clock.advance(0);
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.equal(nodeEvents().length, 3);
    await clock.advance(40_000);
    assert.equal(host.isLocked, false);
  });

  it('finds the shutdown under way that an earlier life of the agent began, and takes no second lock', async () => {
    const host = new FakeHostShutdown();
    host.isPending = true;
    host.isLocked = true;
    const { clock, state, start, ending } = setUp(host);
    void start();
    await clock.advance(0);
    assert.equal(state.get('shutdown'), 'node is shutting down');
    assert.deepEqual(ending, ['usual', 'static']);
    assert.equal(host.calls.includes('takeLock'), false);
    await clock.advance(35_000);
    assert.equal(host.isLocked, false);
  });

  it('goes on with a shutdown whose connection is lost, and releases the lock over the next one', async () => {
    const { clock, host, state, start, ending, nodeEvents } = setUp();
    void start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    host.lose();
    await clock.advance(20_000);
    assert.deepEqual(state.get('shutdownGuard'), { kind: 'held' });
    assert.equal(ending.includes('critical'), true);
    await clock.advance(11_000);
    assert.equal(host.isLocked, false);
    assert.equal(nodeEvents().length, 1);
  });

  it('connects again, and sees what happened meanwhile', async () => {
    const { clock, host, state, start } = setUp();
    void start();
    await clock.advance(0);
    host.lose();
    host.isPending = true;
    await clock.advance(999);
    assert.equal(state.get('shutdown'), undefined);
    await clock.advance(1);
    assert.equal(state.get('shutdown'), 'node is shutting down');
  });

  it('leaves the lock to the next life when the agent stops in the middle of a shutdown', async () => {
    const { clock, host, start, stop } = setUp();
    const running = start();
    await clock.advance(0);
    host.announce(true);
    await clock.advance(0);
    stop.abort();
    await running;
    assert.equal(host.isLocked, true);
  });

  it('releases the lock when it stops while the lock is being taken', async () => {
    const host = new FakeHostShutdown();
    host.confirmsLate = true;
    const { clock, state, start, stop } = setUp(host);
    const running = start();
    await clock.advance(0);
    assert.equal(host.isLocked, true);
    stop.abort();
    await running;
    assert.equal(host.isLocked, false);
    assert.equal(state.get('shutdownGuard')?.kind, 'missing');
  });

  it('releases the lock when it stops before a lost connection is made again', async () => {
    const { clock, host, start, stop } = setUp();
    const running = start();
    await clock.advance(0);
    host.lose();
    await clock.advance(0);
    stop.abort();
    await running;
    assert.equal(host.isLocked, false);
  });

  it('leaves the lock when a shutdown began while the connection was lost', async () => {
    const { clock, host, start, stop } = setUp();
    const running = start();
    await clock.advance(0);
    host.lose();
    host.isPending = true;
    await clock.advance(0);
    stop.abort();
    await running;
    assert.equal(host.isLocked, true);
  });

  it('knows the times of the last shutdown from the file', async () => {
    const saved = '{"startTime":"2026-01-01T00:00:00Z","endTime":"2026-01-01T00:00:30Z"}';
    const { shutdown } = setUp(new FakeHostShutdown(), saved);
    await shutdown.load();
    assert.deepEqual(shutdown.times, { startMs: Date.UTC(2026), endMs: Date.UTC(2026) + 30_000 });
  });
});
