/**
 * How many file calls go through Node's threads for what every pod needs. Each
 * costs some 50 µs of CPU, most of it for handing it over and back; a pod's life
 * had some 300 of them.
 */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { writeAtomically } from '../../volume/place/atomic-writer.ts';
import { makeBackingDirectory } from '../../volume/place/backing-directory.ts';
import { writeControl } from '../cgroup/cgroup-files.ts';
import { LinuxPodCgroups } from '../cgroup/cgroups.ts';
import { LinuxLogFiles } from '../logs/linux-log-files.ts';
import { LinuxMounter } from '../mount/mounter.ts';
import { readMountTableNow } from '../mountinfo.ts';
import { StorageMounts } from '../storage/storage-mounts.ts';
import { forgetUmask } from '../umask.ts';
import { LinuxHostFiles } from './host-files.ts';

/** Where one is mounted, calls look for links that lead to it: so many more for each. */
const HAS_STORAGE =
  typeof new StorageMounts({
    now: () => 0,
    readTable: readMountTableNow,
    readLink: async () => undefined,
  }).resolve('/') !== 'string' && 'a file system that may hang is mounted on this host';
const TMPFS = { fsType: 'tmpfs', source: 'tmpfs', options: [] };

const files = new LinuxHostFiles();
let base: string;
let umask: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'file-calls-'));
  umask = process.umask(0o022);
  forgetUmask();
});
afterEach(() => {
  process.umask(umask);
  forgetUmask();
  rmSync(base, { recursive: true });
});

/** Whatever file call Node makes on another thread has a resource of one of these types. */
const FILE_CALL = /^FS(REQ|EVENTREQ)|^FILEHANDLECLOSEREQ$/;

async function countCalls(work: () => Promise<unknown>): Promise<number> {
  let calls = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (FILE_CALL.test(type)) calls++;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return calls;
}

async function watchLog(directory: string): Promise<void> {
  const listener = { onWrite: () => {}, onEnd: () => {} };
  const watch = await new LinuxLogFiles(base).watch(join(directory, 'containers', '0.log'), listener);
  watch?.[Symbol.dispose]();
  assert.ok(watch !== undefined);
}

/** As a pod without volumes leaves them. */
function makePodDirectory(path: string): void {
  for (const below of ['volumes', 'plugins', 'containers/main'])
    mkdirSync(join(path, below), { recursive: true });
  writeFileSync(join(path, 'etc-hosts'), '');
  writeFileSync(join(path, 'containers/main/0a1b2c3d'), '');
}

describe('file calls through Node’s threads', { skip: HAS_STORAGE }, () => {
  const rows: [what: string, budget: number, work: () => Promise<unknown>][] = [
    ['a new directory', 1, () => files.makeDirectory(join(base, 'new'), 0o750)],
    ['a directory that is there', 2, () => files.makeDirectory(base, 0o750)],
    ['the directory of a volume in memory', 2, () => makeBackingDirectory(join(base, 'v', 'token'), TMPFS)],
    ['a link', 1, () => files.linkTo('0.log', join(base, 'link'))],
    ['an empty termination log that is read', 1, () => files.readTail(join(base, 'file'), 4096)],
    ['a log’s directory that is watched', 5, () => watchLog(join(base, 'pod'))],
    ['a control file of a cgroup', 1, () => writeControl(join(base, 'file'), '100')],
    ['a file that is replaced', 5, () => files.writeFile(join(base, 'etc-hosts'), 'text', 0o644)],
    ['a hosts file', 4, () => files.writeFile(join(base, 'etc-hosts'), 'text', 0o644, { isPassing: true })],
    ['an empty termination log', 3, () => files.writeFile(join(base, 'log'), '', 0o644, { isPassing: true })],
    ['the removal of a file', 1, () => files.removeTree(join(base, 'file'))],
    ['the removal of a pod’s directory', 20, () => files.removeTree(join(base, 'pod'))],
    ['a list of names', 2, () => files.listDirectory(join(base, 'pod'))],
    ['the mounts below a place', 1, () => new LinuxMounter().mountsBelow(join(base, 'pod'))],
  ];
  for (const [what, budget, work] of rows)
    it(`${what}: at most ${budget}`, async () => {
      makePodDirectory(join(base, 'pod'));
      writeFileSync(join(base, 'file'), '');
      const calls = await countCalls(work);
      assert.ok(calls > 0 && calls <= budget, `${calls} calls`);
    });

  it('none for a directory that was made a moment ago; one that has gone meanwhile is made again', async () => {
    const path = join(base, 'new');
    await files.makeDirectory(path, 0o750);
    assert.equal(await countCalls(() => files.makeDirectory(path, 0o750)), 0);
    rmSync(path, { recursive: true });
    assert.equal(await countCalls(() => files.makeDirectory(path, 0o750)), 1);
    rmSync(path, { recursive: true });
    symlinkSync(base, path);
    assert.equal(await countCalls(() => files.makeDirectory(path, 0o750)), 2);
    assert.ok(existsSync(path));
  });

  it('none to write a volume of data in memory, nor to look whether it is still so', async () => {
    const content = Buffer.from('text');
    const payload = new Map(['token', 'ca.crt', 'namespace'].map((path) => [path, { content, mode: 0o644 }]));
    const write = () => writeAtomically({ directory: base, payload, nowMs: 0, isInMemory: true });
    assert.equal(await countCalls(async () => assert.equal(await write(), true)), 0);
    assert.equal(await countCalls(async () => assert.equal(await write(), false)), 0);
  });

  it('none to make a pod’s cgroup, nor to remove it', async () => {
    const names = ['cpu', 'memory', 'pids'];
    const path = '/kubepods/burstable/pod1';
    for (const name of names) mkdirSync(join(base, name, 'kubepods/burstable'), { recursive: true });
    const hierarchies = names.map((name) => ({ directory: join(base, name), controllers: [name] }));
    const layout = { version: 1 as const, hierarchies };
    const cgroups = new LinuxPodCgroups({ clock: new FakeClock(), layout, podsRoot: '/kubepods' });
    assert.equal(await countCalls(() => cgroups.ensure(path)), 0);
    assert.equal(await countCalls(() => cgroups.exists(path)), 0);
    assert.equal(await countCalls(() => cgroups.remove(path)), 0);
    for (const name of names) assert.equal(existsSync(join(base, name, path)), false);
  });
});
