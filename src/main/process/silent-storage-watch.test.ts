import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { type SilentStorage, StorageCalls } from '../../adapters/linux/storage/storage-calls.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { SilentStorageWatch } from './silent-storage-watch.ts';

function setUp() {
  const logger = new RecordingLogger();
  const clock = new FakeClock({ startMs: 45_000 });
  const changes = new Emitter();
  const calls = {
    silent: [] as SilentStorage[],
    underWayAtServers: 0,
    abandoned: 0,
    onChange: (listener: () => void) => changes.subscribe(listener),
    abandon: () => {
      calls.abandoned++;
    },
  };
  const stop = new AbortController();
  const watch = new SilentStorageWatch({ clock, logger, calls });
  return { logger, clock, calls, changes, stop, watch, running: watch.run(stop.signal) };
}

test('SilentStorageWatch names what does not answer, once, and when it answers again', async () => {
  const { logger, clock, calls, changes, stop, watch, running } = setUp();
  assert.equal(watch.check.check(), undefined);
  const dead = { name: 'nfs "s:/x" at "/mnt"', calls: 2, sinceMs: clock.steady() - 35_000 };
  calls.silent = [dead];
  changes.emit();
  changes.emit();
  assert.equal(
    watch.check.check(),
    'file system nfs "s:/x" at "/mnt" has not answered for 35s: 2 file calls',
  );
  calls.silent = [{ ...dead, name: 'other', calls: 1 }];
  changes.emit();
  assert.equal(watch.check.check(), 'file system other has not answered for 35s: 1 file call');
  stop.abort();
  await running;
  calls.silent = [];
  changes.emit();
  assert.deepEqual(
    logger.lines.map((line) => [line.severity, line.message, line.fields['fileSystem']]),
    [
      ['warning', 'file system does not answer', 'nfs "s:/x" at "/mnt"'],
      ['warning', 'file system does not answer', 'other'],
      ['info', 'file system answers again', 'nfs "s:/x" at "/mnt"'],
    ],
  );
});

test('SilentStorageWatch at the end of the agent waits a moment for calls that are under way, and no longer', async () => {
  const { clock, calls, stop, running } = setUp();
  calls.underWayAtServers = 1;
  stop.abort();
  await clock.advance(999);
  assert.equal(calls.abandoned, 0);
  await clock.advance(1);
  await running;
  assert.equal(calls.abandoned, 1);
});

for (const [where, mount, waitMs] of [
  ['the machine itself', undefined, 0],
  ['a server', { path: '/mnt', fsType: 'nfs', source: 's:/x', device: '1', server: 's' }, 1000],
] as const)
  test(`SilentStorageWatch at the end of the agent waits ${waitMs} ms for a call on ${where}`, async () => {
    const clock = new FakeClock();
    const widths = { own: 1, storage: 1, server: 1 };
    const calls = new StorageCalls({ clock, widths, timeoutMs: 30_000, isMounted: () => true });
    const answer = Promise.withResolvers<void>();
    const call = calls.run({ verb: 'open', path: '/mnt/a', mount, run: () => answer.promise });
    const outcome = call.catch(() => {});
    const watch = new SilentStorageWatch({ clock, logger: new RecordingLogger(), calls });
    const startedAtMs = clock.now();
    await clock.finish(watch.run(AbortSignal.abort()));
    assert.equal(clock.now() - startedAtMs, waitMs);
    answer.resolve();
    await outcome;
    assert.equal(clock.pendingTimers, 0);
  });
