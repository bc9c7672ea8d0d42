import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { LeftOvers, type LeftOversParts } from './left-overs.ts';

const PLACES = {
  rootDir: '/var/lib/kubelet',
  podLogsDir: '/var/log/pods',
  cgroupRoot: '/',
  cgroupDriver: 'cgroupfs',
  cgroupsPerQos: true,
} as const;

/** What a fresh look finds; no pod is known. */
async function readLeftOvers(
  files: LeftOversParts['files'],
  cgroups: LeftOversParts['cgroups'],
  node: LeftOversParts['node'],
) {
  const parts = { files, cgroups, node, clock: new FakeClock(), logger: new RecordingLogger() };
  const { pods, complete } = await new LeftOvers(parts).read(() => false);
  assert.equal(complete, true);
  return pods;
}

test('LeftOvers names every pod that has a directory for data or logs, once', async () => {
  const files = new FakeFiles();
  for (const path of [
    '/var/lib/kubelet/pods/uid-1',
    '/var/lib/kubelet/pods/uid-2',
    '/var/log/pods/default_web_uid-2',
    '/var/log/pods/default_db_uid-3',
    '/var/log/pods/not-a-pod',
  ])
    await files.makeDirectory(path, 0o755);
  const pods = await readLeftOvers(files, new FakeCgroups(), PLACES);
  assert.deepEqual(
    pods.map(({ metadata: { namespace, name, uid } }) => [namespace, name, uid]),
    [
      ['', 'uid-1', 'uid-1'],
      ['default', 'web', 'uid-2'],
      ['default', 'db', 'uid-3'],
    ],
  );
});

test('LeftOvers finds nothing on a fresh host', async () => {
  assert.deepEqual(await readLeftOvers(new FakeFiles(), new FakeCgroups(), PLACES), []);
});

test('LeftOvers names pods of which only a cgroup is left, in every tier and with both drivers', async () => {
  for (const [cgroupDriver, paths] of [
    ['cgroupfs', ['/kubepods/pod0a-1', '/kubepods/burstable/podb/c1', '/kubepods/besteffort/podc']],
    [
      'systemd',
      [
        '/kubepods.slice/kubepods-pod0a_1.slice',
        '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podb.slice',
        '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podc.slice',
      ],
    ],
  ] as const) {
    const cgroups = new FakeCgroups();
    for (const path of paths) await cgroups.ensure(path);
    const read = (cgroupsPerQos: boolean) =>
      readLeftOvers(new FakeFiles(), cgroups, { ...PLACES, cgroupDriver, cgroupsPerQos });
    const uids = (await read(true)).map(({ metadata }) => metadata.uid);
    assert.deepEqual(uids, ['0a-1', 'b', 'c']);
    assert.deepEqual(await read(false), []);
  }
});

test('LeftOvers takes no name for a pod that leads out of its directory', async () => {
  const files = new FakeFiles();
  const names = ['x_y_.', 'x_y_..', 'x_y_', '.._.._uid-1', '__uid-2', 'x_.._uid-3', 'x_y_-rf', 'x_y_a b'];
  for (const name of names) await files.makeDirectory(`/var/log/pods/${name}`, 0o755);
  await files.makeDirectory('/var/lib/kubelet/pods/.trash', 0o755);
  const cgroups = { children: async () => ['/kubepods/pod..', '/kubepods/pod'], processes: async () => [] };
  assert.deepEqual(await readLeftOvers(files, cgroups, PLACES), []);
});

test('LeftOvers reports processes of a pod it never had and gives them a minute', async () => {
  const [clock, logger, cgroups] = [new FakeClock(), new RecordingLogger(), new FakeCgroups()];
  await cgroups.ensure('/kubepods/podforeign/c1');
  cgroups.pids.set('/kubepods/podforeign/c1', [41, 42]);
  const leftOvers = new LeftOvers({ files: new FakeFiles(), cgroups, node: PLACES, clock, logger });
  const read = async () => {
    const { pods, complete } = await leftOvers.read(() => false);
    return { uids: pods.map(({ metadata }) => metadata.uid), complete };
  };
  assert.deepEqual(await read(), { uids: [], complete: false });
  await clock.advance(59_000);
  clock.setBy(5 * 3_600_000);
  assert.deepEqual(await read(), { uids: [], complete: false });
  assert.equal(logger.lines.length, 1);
  assert.match(JSON.stringify(logger.lines), /podforeign.*41 42/);
  await clock.advance(1_000);
  assert.deepEqual(await read(), { uids: ['foreign'], complete: true });
});

test('LeftOvers kills processes at once in a cgroup whose pod has a directory here', async () => {
  const [files, cgroups, logger] = [new FakeFiles(), new FakeCgroups(), new RecordingLogger()];
  await files.makeDirectory('/var/lib/kubelet/pods/own', 0o755);
  await cgroups.ensure('/kubepods/podown');
  cgroups.pids.set('/kubepods/podown', [41]);
  const leftOvers = new LeftOvers({ files, cgroups, node: PLACES, clock: new FakeClock(), logger });
  const { pods, complete } = await leftOvers.read(() => false);
  assert.deepEqual([pods.map(({ metadata }) => metadata.uid), complete], [['own'], true]);
  assert.equal(logger.lines.length, 0);
});
