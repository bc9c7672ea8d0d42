import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { MAX_FILE_BYTES, OversizedFiles } from './oversized-files.ts';

const UID = toPodUid('uid-1');
const POD = '/var/lib/kubelet/pods/uid-1';
const FLOOD = 'x'.repeat(MAX_FILE_BYTES + 1);

let files: FakeFiles;
let clock: FakeClock;
let logger: RecordingLogger;
let stop: AbortController;
let part: OversizedFiles;
let running: Promise<void>;

beforeEach(async () => {
  files = new FakeFiles();
  clock = new FakeClock();
  logger = new RecordingLogger();
  stop = new AbortController();
  await files.makeDirectory(`${POD}/containers/web`, 0o750);
  await files.writeFile(`${POD}/etc-hosts`, 'localhost', 0o644);
  const node = { rootDir: '/var/lib/kubelet' };
  const readPodUids = () => [UID, toPodUid('gone')];
  part = new OversizedFiles({ files, clock, logger, node, readPodUids });
  running = part.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await running;
  assert.equal(files.disk.watches.size, 0);
});

const size = async (path: string): Promise<number | undefined> =>
  (await files.readFile(`${POD}/${path}`))?.length;

describe('CVE-2020-8557: hosts file and termination log growth', () => {
  it('OversizedFiles cuts what containers wrote too much into, and leaves the rest', async () => {
    await files.writeFile(`${POD}/etc-hosts`, FLOOD, 0o644);
    await files.writeFile(`${POD}/containers/web/1`, FLOOD, 0o666);
    await files.writeFile(`${POD}/containers/web/2`, 'last words', 0o666);
    await clock.advance(30_000);
    assert.equal(await size('etc-hosts'), MAX_FILE_BYTES);
    assert.equal(await size('containers/web/1'), MAX_FILE_BYTES);
    assert.equal(await size('containers/web/2'), 10);
    assert.equal(logger.messages('warning').length, 2);
  });

  for (const path of ['etc-hosts', 'containers/web/1', 'containers/new/1'])
    it(`OversizedFiles cuts ${path} that grew long after the first look`, async () => {
      await clock.advance(600_000);
      await files.makeDirectory(`${POD}/containers/new`, 0o750);
      await files.writeFile(`${POD}/${path}`, FLOOD, 0o644);
      await clock.advance(30_000);
      assert.equal(await size(path), MAX_FILE_BYTES);
    });
});

describe('OversizedFiles', () => {
  it('makes no file call for a pod in whose directories nothing happens', async () => {
    await clock.advance(60_000);
    assert.equal(files.disk.watches.size, 3);
    const calls: string[] = [];
    files.faults.onOperation = (op, path) => {
      if (path.startsWith(POD)) calls.push(`${op} ${path}`);
      return true;
    };
    await clock.advance(600_000);
    assert.deepEqual(calls, []);
  });

  it('needs no containers to leave a pod alone, and sees the first', async () => {
    await files.removeTree(`${POD}/containers`);
    await clock.advance(60_000);
    assert.equal(files.disk.watches.size, 1);
    await files.makeDirectory(`${POD}/containers`, 0o750);
    assert.equal(files.disk.watches.size, 0);
  });

  it('is woken once by a container that writes all the time', async () => {
    await clock.advance(60_000);
    await files.writeFile(`${POD}/containers/web/1`, 'a', 0o666);
    assert.equal(files.disk.watches.size, 0);
  });

  it('stops watching a pod that is gone', async () => {
    await clock.advance(60_000);
    part.podGone({ uid: UID });
    assert.equal(files.disk.watches.size, 0);
  });
});
