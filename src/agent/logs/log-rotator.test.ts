import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeLogFiles } from '../../../test/fakes/fake-log-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import { toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../../core/model/observed-pod.ts';
import { LogRotator } from './log-rotator.ts';

const UID = toPodUid('uid-1');
const ID = toContainerId('c1');
const LOG = '/var/log/pods/ns_p_uid-1/web/0.log';
const MAX = 1_000_000;

let clock: FakeClock;
let files: FakeLogFiles;
let logger: RecordingLogger;
let stop: AbortController;
let reopens: string[];
let onReopen: () => void;
let rotator: LogRotator;
let ended: Promise<void>;

beforeEach(() => {
  // On a whole second, so that rotations fall into one.
  clock = new FakeClock({ startMs: new Date(2026, 0, 2, 3, 4, 5).getTime() });
  files = new FakeLogFiles();
  logger = new RecordingLogger();
  stop = new AbortController();
  reopens = [];
  onReopen = () => files.sizes.set('0.log', 0);
  const runtime = {
    reopenContainerLog: async (id: string) => {
      reopens.push(id);
      onReopen();
    },
  };
  const policy = { maxBytes: MAX, maxFiles: 4, maxWorkers: 1, monitorIntervalMs: 10_000 };
  rotator = new LogRotator({ runtime, logFiles: files, policy, clock, logger });
  ended = rotator.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await ended;
  assert.equal(clock.pendingTimers, 0);
  assert.equal(files.watches, 0);
});

function podWith(state: ObservedContainer['state'] = 'running'): ObservedPod {
  const details = { reason: '', message: '', logPath: LOG, mounts: [] };
  const container: ObservedContainer = {
    ...{ id: ID, podUid: UID, sandboxId: toSandboxId('s'), name: 'web', state, createdAtMs: 0 },
    ...{ image: '', imageId: '', labels: {}, annotations: {}, details },
  };
  return { uid: UID, sandboxes: [], containers: [container] };
}

const names = (): string[] => [...files.sizes.keys()].sort();

/** Grows the log before each look. */
function writeAt(bytesPerMs: number): void {
  let lastMs = clock.now();
  files.onLook = () => {
    const size = files.sizes.get('0.log');
    if (size !== undefined) files.sizes.set('0.log', size + (clock.now() - lastMs) * bytesPerMs);
    lastMs = clock.now();
  };
}

describe('LogRotator', () => {
  it('rotates a full log, reopens it and compresses what was rotated before', async () => {
    files.sizes.set('0.log', MAX);
    files.sizes.set('0.log.20260102-020000', 5);
    rotator.noteRead(podWith());
    await clock.advance(0);
    await clock.settle();
    assert.deepEqual(names(), ['0.log', '0.log.20260102-020000.gz', '0.log.20260102-030405']);
    assert.deepEqual(reopens, ['c1']);
  });

  it('keeps a quick log within 110 % and at most so many files, at several rotations a second', async () => {
    files.sizes.set('0.log', 0);
    writeAt(5_000);
    rotator.noteRead(podWith());
    await clock.advance(2_000);
    assert.ok(reopens.length >= 8, `${reopens.length} rotations`);
    const rotated = [...files.sizes].filter(([name]) => name !== '0.log' && !name.endsWith('.gz'));
    assert.ok(rotated.every(([, size]) => size <= 1.1 * MAX));
    assert.equal(names().length, 4);
  });

  it('does not look at a silent log, nor keeps a timer for it', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    const before = files.looks.length;
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(600_000);
    assert.equal(files.looks.length - before, 0);
  });

  it('looks twice at a log that stays empty: once before it is watched, and once to see what came meanwhile', async () => {
    files.sizes.set('0.log', 0);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    assert.equal(files.looks.length, 2);
  });

  it('rotates a log that was silent, and became full by few large writes, within an interval', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    files.write(MAX);
    await clock.advance(10_000);
    assert.deepEqual(reopens, ['c1']);
  });

  it('looks once per interval at a log that cannot be watched, until its container has ended', async () => {
    files.canWatch = false;
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    const before = files.looks.length;
    await clock.advance(60_000);
    assert.equal(files.looks.length - before, 6);
    rotator.noteRead(podWith('exited'));
    await clock.advance(60_000);
    assert.equal(files.looks.length - before, 6);
  });

  it('watches a log again whose watch has died', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    files.endWatches();
    assert.equal(files.watches, 0);
    await clock.advance(10_000);
    assert.equal(files.watches, 1);
    files.write(MAX);
    await clock.advance(10_000);
    assert.deepEqual(reopens, ['c1']);
  });

  it('looks again at a log that was written to during a look', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    files.write(10);
    files.afterLook = () => {
      files.afterLook = () => {};
      files.write(MAX);
    };
    await clock.advance(20_000);
    assert.deepEqual(reopens, ['c1']);
  });

  it('asks for a log that was removed, and watches the directory where the new one lies', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    const before = files.watchCalls;
    files.remove(LOG, '0.log');
    files.reportWrite();
    await clock.advance(10_000);
    assert.deepEqual(reopens, ['c1']);
    assert.equal(files.watchCalls, before + 1);
    assert.equal(files.watches, 1);
  });

  it('notices at once that a log which was silent for long is written to quickly', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(61_000);
    for (let ms = 0; ms < 100; ms++) {
      files.write(50_000);
      await clock.advance(1);
    }
    assert.ok(reopens.length >= 4, `${reopens.length} rotations`);
    const rotated = [...files.sizes].filter(([name]) => name !== '0.log' && !name.endsWith('.gz'));
    assert.deepEqual(
      rotated.filter(([, size]) => size > 1.1 * MAX),
      [],
    );
    assert.equal(files.watches, 0, 'a quick log does not wake the agent with each write');
    await clock.advance(60_000);
    assert.equal(files.watches, 1, 'it is watched again when it is silent');
  });

  it('does not look at a log more often because of a line a second', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(60_000);
    const before = files.looks.length;
    for (let second = 0; second < 60; second++) {
      files.write(100);
      await clock.advance(1_000);
    }
    assert.equal(files.looks.length - before, 6);
  });

  it('watches no log of a container that ended', async () => {
    files.sizes.set('0.log', 10);
    rotator.noteRead(podWith());
    await clock.advance(1_000);
    assert.equal(files.watches, 1);
    rotator.noteRead(podWith('exited'));
    assert.equal(files.watches, 0);
  });

  it('gives the log its name back when it cannot be reopened', async () => {
    files.sizes.set('0.log', MAX);
    onReopen = () => {
      throw new AgentError('unavailable', 'no runtime');
    };
    rotator.noteRead(podWith());
    await clock.advance(0);
    await clock.settle();
    assert.deepEqual(names(), ['0.log']);
    assert.deepEqual(logger.messages('warning'), ['cannot rotate a container log']);
    onReopen = () => files.sizes.set('0.log', 0);
    await clock.advance(10_000);
    assert.equal(names().length, 2);
  });

  it('leaves the new file alone when reopening it failed late', async () => {
    files.sizes.set('0.log', MAX);
    onReopen = () => {
      files.sizes.set('0.log', 7);
      throw new AgentError('deadline-exceeded', 'late');
    };
    rotator.noteRead(podWith());
    await clock.advance(0);
    await clock.settle();
    assert.equal(files.sizes.get('0.log'), 7);
    assert.equal(names().length, 2);
  });

  it('asks for a log that is missing: an agent was killed before it reopened it', async () => {
    files.sizes.set('0.log.20260102-030000', MAX);
    rotator.noteRead(podWith());
    await clock.advance(0);
    await clock.settle();
    assert.deepEqual(reopens, ['c1']);
    assert.deepEqual(names(), ['0.log', '0.log.20260102-030000']);
  });

  for (const distanceMs of [20, 40, 60])
    it(`is woken fifty times in an interval by a line every ${distanceMs} ms, then looks each second`, async () => {
      files.sizes.set('0.log', 0);
      rotator.noteRead(podWith());
      await clock.advance(20_000);
      assert.equal(files.watches, 1);
      let wakeUps = 0;
      for (let ms = 0; ms < 10_000; ms += distanceMs) {
        wakeUps += files.watches;
        files.write(10);
        await clock.advance(distanceMs);
      }
      assert.equal(wakeUps, 50);
      assert.equal(files.watches, 0, 'it rests');
      let looks = 0;
      files.onLook = () => looks++;
      await clock.advance(1_000);
      assert.equal(looks, 1);
      await clock.advance(20_000);
      assert.equal(files.watches, 1, 'and is watched again');
    });

  it('removes no rotated file before a rotation', async () => {
    files.sizes.set('0.log', 0);
    for (const day of [1, 2, 3]) files.sizes.set(`0.log.2026010${day}-030000`, 5);
    rotator.noteRead(podWith());
    await clock.advance(20_000);
    files.write(0.7 * MAX);
    await clock.advance(60_000);
    assert.deepEqual([names().length, reopens.length], [4, 0]);
  });

  it('goes on when nothing can be compressed, as on a full disk', async () => {
    files.failures.set('compress', new AgentError('resource-exhausted', 'no space left on device'));
    files.sizes.set('0.log', 0);
    writeAt(1_000);
    rotator.noteRead(podWith());
    await clock.advance(10_000);
    assert.ok(reopens.length >= 8);
    assert.equal(names().length, 4);
    assert.ok(logger.messages('warning').includes('cannot compress a rotated log'));
  });

  it('rotates on while a file is being compressed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    files.beforeCompress = promise;
    files.sizes.set('0.log', 0);
    writeAt(1_000);
    rotator.noteRead(podWith());
    await clock.advance(10_000);
    assert.ok(reopens.length >= 8);
    assert.equal(names().length, 4);
    resolve();
    await clock.settle();
  });
});
