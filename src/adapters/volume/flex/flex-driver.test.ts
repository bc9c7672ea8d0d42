import assert from 'node:assert/strict';
import { access, chmod, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { RecordingMounter } from '../../../../test/fakes/recording-mounter.ts';
import { claimRequest, type SampleClaim } from '../../../../test/samples/sample-request.ts';
import type { FlexSource } from '../../../core/api/volume.ts';
import type { VolumeDriver, VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { LinuxHostFiles } from '../../linux/files/host-files.ts';
import { FlexDrivers, type FlexDriversParts, findFlexUses } from './flex-drivers.ts';

const DRIVER = 'example.com/disk';
let base: string;
let rootDir: string;
let directory: string;
let mounter: RecordingMounter;
let logger: RecordingLogger;
let held: string[];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'flex-'));
  rootDir = join(base, 'kubelet');
  directory = join(base, 'exec');
  await mkdir(rootDir);
  await mkdir(directory);
  mounter = new RecordingMounter();
  logger = new RecordingLogger();
  held = [];
});
afterEach(() => rm(base, { recursive: true }));

/** A driver that answers by command, and notes how it was called. */
async function install(
  answers: Readonly<Record<string, object>>,
  folder = 'example.com~disk',
): Promise<string> {
  const path = join(directory, folder, folder.split('~').at(-1) ?? '');
  await mkdir(join(directory, folder), { recursive: true });
  const cases = Object.entries(answers).map(([command, answer]) => {
    const status = 'status' in answer && answer.status === 'Failure' ? 1 : 0;
    return `${command}) echo '${JSON.stringify({ status: 'Success', ...answer })}'; exit ${status};;`;
  });
  const script = `#!/bin/sh\nfor a in "$@"; do printf '%s\\n' "$a" >>${base}/calls; done\ncase "$1" in\n${cases.join('\n')}\n*) echo '{"status":"Not supported"}'; exit 1;;\nesac\n`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

/** What the driver was called with, one argument per line, since last asked. */
async function calls(): Promise<string[]> {
  const text = await readFile(join(base, 'calls'), 'utf8').catch(() => '');
  await rm(join(base, 'calls'), { force: true });
  return text.split('\n').filter(Boolean);
}

const attachments: FlexDriversParts['attachments'] = {
  hold: (name, uid) => void held.push(`${name} ${uid}`),
  release: (name, uid) => {
    held = held.filter((one) => one !== `${name} ${uid}`);
  },
  whenAttached: async () => true,
  devicePathOf: () => '/dev/xvdf',
};

function family(more: Partial<FlexDriversParts> = {}): FlexDrivers {
  return new FlexDrivers({
    kit: { clock: new FakeClock(), logger },
    directory,
    attachments: undefined,
    mounter,
    files: new LinuxHostFiles(),
    node: { rootDir, nodeName: 'node-1' },
    readSecret: async (_namespace, name) => ({
      kind: 'found',
      data: { key: 'word' },
      secret: { uid: 'u', type: name === 'odd' ? 'Opaque' : DRIVER },
    }),
    run: async () => 'TYPE=ext4',
    ...more,
  });
}

async function start(more: Partial<FlexDriversParts> = {}): Promise<VolumeDriver> {
  const driver = await family(more).find(DRIVER);
  assert.ok(driver);
  await calls();
  return driver;
}

const request = (source: Partial<FlexSource> = {}, sample: Partial<SampleClaim> = {}): VolumeRequest =>
  claimRequest({ rootDir, plugin: DRIVER, ...sample, spec: { flexVolume: { driver: DRIVER, ...source } } });
const options = (line: string | undefined): Record<string, string> =>
  JSON.parse(line ?? '') as Record<string, string>;

describe('FlexDrivers', () => {
  it('gives a driver the way to programs and a home, and nothing else of the environment', async (t) => {
    const path = await install({});
    await writeFile(path, `#!/bin/sh\nexec env >${base}/seen\n`);
    process.env['CLOUD_KEY'] = 'secret';
    t.after(() => void delete process.env['CLOUD_KEY']);
    await family().find(DRIVER);
    const names = (await readFile(join(base, 'seen'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    const own = ['PWD', 'OLDPWD', 'SHLVL', '_', ''];
    assert.deepEqual(names.filter((name) => !own.includes(name ?? '')).toSorted(), [
      'HOME',
      'LC_ALL',
      'PATH',
    ]);
  });

  it('finds executables by vendor and name, and asks each to introduce itself once', async () => {
    const path = await install({ init: { capabilities: { attach: false } } });
    const drivers = family();
    const driver = await drivers.find(DRIVER);
    assert.equal(driver?.plugin, DRIVER);
    assert.equal(await drivers.find(DRIVER), driver);
    assert.deepEqual(await calls(), ['init']);
    await utimes(path, 1, 1);
    assert.notEqual(await drivers.find(DRIVER), driver);
    assert.deepEqual(await calls(), ['init']);
  });

  it('knows no driver that is hidden, elsewhere, not executable or unable to start', async () => {
    await install({ init: {} }, '.example.com~hidden');
    await chmod(await install({ init: {} }, 'example.com~plain'), 0o644);
    await install({ init: { status: 'Failure', message: 'no kernel module' } }, 'example.com~broken');
    const drivers = family();
    for (const name of [
      '.example.com/hidden',
      '../exec/example.com~disk',
      'example.com/plain',
      'example.com/broken',
      '',
    ])
      assert.equal(await drivers.find(name), undefined, name);
    assert.match(
      JSON.stringify(logger.lines),
      /init command failed, status: Failure, reason: no kernel module/,
    );
  });

  it('reports after a start which volumes pods use', async () => {
    await mkdir(request().directory, { recursive: true });
    await mkdir(join(rootDir, 'pods/uid-2/volumes/kubernetes.io~secret/s'), { recursive: true });
    assert.deepEqual(await findFlexUses(rootDir), [['example.com/disk/pv-1', 'uid-1']]);
  });
});

describe('FlexDriver', () => {
  it('lets a driver that does not attach mount and unmount, with options, pod and secrets', async () => {
    await install({
      init: { capabilities: { attach: false, supportsMetrics: true } },
      mount: {},
      unmount: {},
    });
    const driver = await start();
    const wanted = request(
      { fsType: 'xfs', options: { size: '1' }, secretRef: { name: 'login' } },
      { pod: { securityContext: { fsGroup: process.getgid?.() ?? 0 } } },
    );
    const mounted = await driver.mount(wanted);
    assert.ok(mounted.ok);
    assert.deepEqual(mounted.value.prepared, {
      hostPath: wanted.directory,
      readOnly: false,
      selinuxRelabel: true,
    });
    assert.equal(mounted.value.gauge?.source, 'statfs');
    const [command, place, json] = await calls();
    assert.deepEqual([command, place], ['mount', wanted.directory]);
    assert.deepEqual(options(json), {
      'kubernetes.io/fsType': 'xfs',
      'kubernetes.io/mounterArgs.FsGroup': String(process.getgid?.() ?? 0),
      'kubernetes.io/pod.name': wanted.pod.metadata.name,
      'kubernetes.io/pod.namespace': wanted.pod.metadata.namespace,
      'kubernetes.io/pod.uid': wanted.pod.metadata.uid,
      'kubernetes.io/pvOrVolumeName': 'pv-1',
      'kubernetes.io/readwrite': 'rw',
      'kubernetes.io/secret/key': Buffer.from('word').toString('base64'),
      'kubernetes.io/serviceAccount.name': wanted.pod.spec.serviceAccountName ?? '',
      size: '1',
    });
    await driver.unmount(wanted);
    assert.deepEqual(await calls(), ['unmount', wanted.directory]);
    await assert.rejects(access(wanted.directory));
  });

  it('mounts the device once for the node and binds it, where the driver leaves that to the agent', async () => {
    await install({ init: {} });
    const driver = await start({ attachments });
    const [first, second] = ['uid-1', 'uid-2'].map((podUid) => request({}, { podUid, readOnly: true }));
    assert.ok(first && second);
    assert.ok((await driver.mount(first)).ok);
    assert.deepEqual(
      (await calls()).filter((line) => !line.startsWith('{')),
      [
        'waitforattach',
        '/dev/xvdf',
        'mountdevice',
        join(rootDir, 'plugins/kubernetes.io/flexvolume/example.com/disk/mounts/pv-1'),
        '/dev/xvdf',
        'mount',
        first.directory,
      ],
    );
    assert.ok((await driver.mount(second)).ok);
    assert.deepEqual(await calls(), [], 'what is not supported is not asked again');
    assert.deepEqual(mounter.calls, ['mount ext4', 'bind', 'bind']);
    assert.deepEqual(held, ['example.com/disk/pv-1 uid-1', 'example.com/disk/pv-1 uid-2']);
    await driver.unmount(first);
    assert.equal(mounter.mounts.size, 2);
    await driver.unmount(second);
    assert.deepEqual([mounter.mounts.size, held], [0, []]);
  });

  it('lets the driver attach and detach where no controller does', async () => {
    await install({ init: {}, attach: { device: '/dev/sdx' }, mountdevice: {}, mount: {}, detach: {} });
    const driver = await start();
    const wanted = request();
    assert.ok((await driver.mount(wanted)).ok);
    const plain = (lines: readonly string[]) =>
      lines.filter((line) => !line.startsWith('{') && !line.startsWith('/'));
    assert.deepEqual(plain(await calls()), ['attach', 'node-1', 'waitforattach', 'mountdevice', 'mount']);
    await driver.unmount(wanted);
    assert.deepEqual(plain(await calls()).slice(-3), ['detach', 'pv-1', 'node-1']);
  });

  it('reports failures in the words of the driver, at their step', async () => {
    const failure = { status: 'Failure', message: 'no disk' };
    await install({ init: {}, waitforattach: failure });
    const waiting = await (await start({ attachments })).mount(request());
    assert.deepEqual(waiting, {
      ok: false,
      stage: 'MountVolume.WaitForAttach',
      message: 'waitforattach command failed, status: Failure, reason: no disk',
    });
    await install({ init: { capabilities: { attach: false } }, mount: failure, unmount: failure });
    const driver = await start();
    const wanted = request();
    assert.deepEqual(await driver.mount(wanted), {
      ok: false,
      message: 'mount command failed, status: Failure, reason: no disk',
    });
    await driver.unmount(wanted);
    await assert.rejects(access(wanted.directory), 'what was never mounted goes');
    await mkdir(wanted.directory, { recursive: true });
    await mounter.mount({ fsType: 'x', source: 'x', target: wanted.directory, options: [] });
    await assert.rejects(driver.unmount(wanted), /unmount command failed, status: Failure, reason: no disk/);
    await access(wanted.directory);
  });

  it('refuses a secret of another type', async () => {
    await install({ init: { capabilities: { attach: false } }, mount: {} });
    const driver = await start();
    const refused = await driver.mount(request({ secretRef: { name: 'odd', namespace: 'vault' } }));
    assert.deepEqual(refused, {
      ok: false,
      message: "couldn't get secret vault/odd err: cannot get secret of type example.com/disk",
    });
    assert.deepEqual(await calls(), []);
  });
});
