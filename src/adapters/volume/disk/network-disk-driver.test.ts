import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { NEEDS_MOUNTS } from '../../../../test/fakes/mount-right.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { mountFailure, RecordingMounter } from '../../../../test/fakes/recording-mounter.ts';
import { sampleContainer } from '../../../../test/samples/sample-pod.ts';
import { claimRequest, type SampleClaim } from '../../../../test/samples/sample-request.ts';
import { AgentError } from '../../../base/errors.ts';
import type { PersistentVolumeSpec } from '../../../core/api/persistent-volume.ts';
import type { IscsiSource, Volume } from '../../../core/api/volume.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { VolumeRequest } from '../../../ports/storage/volume-driver.ts';
import { ProgramExit } from '../../linux/program/run-program.ts';
import { DiskRecords } from './disk-record.ts';
import { FcConnector } from './fc-connector.ts';
import { IscsiConnector } from './iscsi-connector.ts';
import { Iscsiadm } from './iscsiadm.ts';
import { NetworkDiskDriver } from './network-disk-driver.ts';
import { ScsiDevices } from './scsi-devices.ts';

const execute = promisify(execFile);
const IQN = 'iqn.2003-01.org.example:disk';
const FC = 'kubernetes.io/fc';
const ISCSI = 'kubernetes.io/iscsi';
const WWN = '50060e801049cfd1';

let base: string;
let rootDir: string;
let sys: string;
let dev: string;
let clock: FakeClock;
let logger: RecordingLogger;
let mounter: RecordingMounter;
let loops: Map<string, string>;
let lines: string[];
let onRun: (line: string) => string | Promise<string>;
let held: Set<string>;
let isAttached: boolean;
let mountTable: string;
let hasLabels: boolean;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'disk-'));
  rootDir = join(base, 'kubelet');
  sys = join(base, 'sys');
  dev = join(base, 'dev');
  for (const path of [rootDir, join(sys, 'block'), join(dev, 'disk/by-path'), join(dev, 'disk/by-id')])
    await mkdir(path, { recursive: true });
  clock = new FakeClock();
  logger = new RecordingLogger();
  mounter = new RecordingMounter();
  loops = new Map();
  lines = [];
  onRun = () => '';
  held = new Set();
  isAttached = true;
  mountTable = '';
  hasLabels = false;
});
afterEach(async () => {
  assert.equal(clock.pendingTimers, 0);
  await rm(base, { recursive: true });
});

const run = async (program: string, args: readonly string[]): Promise<string> => {
  const line = [program, ...args].join(' ');
  lines.push(line);
  return onRun(line);
};
const exit = (status: number, why = 'refused'): AgentError =>
  new AgentError('unknown', why, { cause: new ProgramExit(status) });

/** What was unmounted is gone from the table. */
function isThere(line: string): boolean {
  const path = line.split(' ')[4] ?? '';
  return !path.startsWith(rootDir) || mounter.mounts.has(path);
}

function start(connector: 'fc' | 'iscsi'): NetworkDiskDriver {
  const devices = new ScsiDevices({ sys, dev });
  const admin = new Iscsiadm(run);
  const readSecret = async (namespace: string, name: string): Promise<ObjectLookup> =>
    name === 'chap'
      ? {
          kind: 'found',
          data: {
            'discovery.sendtargets.auth.username': 'du',
            'node.session.auth.password': `sp-${namespace}`,
          },
        }
      : { kind: 'missing' };
  return new NetworkDiskDriver({
    kit: { clock, logger },
    connector:
      connector === 'fc'
        ? new FcConnector({ devices, run })
        : new IscsiConnector({ devices, admin, clock, rootDir, readSecret }),
    mounter,
    node: { rootDir, selinuxEnabled: hasLabels },
    host: {
      readFileContext: async () => 'system_u:object_r:container_file_t:s0',
      run,
      readMounts: async () => mountTable.split('\n').filter(isThere).join('\n'),
    },
    attachments: {
      hold: (name, uid) => void held.add(`${name} ${uid}`),
      release: (name, uid) => void held.delete(`${name} ${uid}`),
      whenAttached: async () => isAttached,
      devicePathOf: () => '',
    },
    loops: {
      find: async (file) => loops.get(file),
      attach: async (file) => void loops.set(file, '/dev/loop7'),
      detach: async () => loops.clear(),
    },
  });
}

const claim = (
  plugin: string,
  spec: PersistentVolumeSpec,
  sample: Partial<SampleClaim> = {},
): VolumeRequest => claimRequest({ rootDir, plugin, ...sample, spec });
const inline = (plugin: string, volume: Omit<Volume, 'name'>): VolumeRequest => {
  const { persistent: _none, ...request } = claim(plugin, {});
  return { ...request, volume: { name: 'data', ...volume } };
};

/** A file in place of a control of the kernel. */
async function control(path: string): Promise<string> {
  await mkdir(dirname(join(sys, path)), { recursive: true });
  await writeFile(join(sys, path), '');
  return join(sys, path);
}
/** A disk as udev and the kernel show it. */
async function disk(name: string, links: readonly string[]): Promise<string> {
  await writeFile(join(dev, name), '');
  for (const link of links) await symlink(join(dev, name), join(dev, 'disk', link));
  return control(`block/${name}/device/delete`);
}
async function joinPaths(name: string, parts: readonly string[]): Promise<void> {
  await writeFile(join(dev, name), '');
  for (const part of parts) await mkdir(join(sys, 'block', name, 'slaves', part), { recursive: true });
}
const blank = (line: string): string => {
  if (line.startsWith('blkid')) throw exit(2);
  return '';
};

describe('NetworkDiskDriver with Fibre Channel', () => {
  const fc = { targetWWNs: [WWN, '50060e80aaaa'], lun: 1 };
  const place = (name = `${WWN}-50060e80aaaa-lun-1`): string =>
    join(rootDir, 'plugins/kubernetes.io/fc', name);

  it('mounts the disk once for the node and binds it for each pod; the last one lets go of it', async () => {
    const forgotten = await disk('sdb', [`by-path/pci-0000:41:00.0-fc-0x${WWN}-lun-1`]);
    onRun = blank;
    const driver = start('fc');
    const [first, second] = ['uid-1', 'uid-2'].map((podUid) => claim(FC, { fc }, { podUid }));
    assert.ok(first && second);
    const mounted = await driver.mount(first);
    assert.deepEqual(mounted, {
      ok: true,
      value: { prepared: { hostPath: first.directory, readOnly: false, selinuxRelabel: true } },
    });
    await driver.mount(second);
    assert.deepEqual(mounter.calls, ['mount auto', 'bind', 'bind']);
    assert.deepEqual(mounter.mounts.get(place())?.options, ['defaults']);
    assert.equal(mounter.mounts.get(place())?.source, join(dev, 'sdb'));
    assert.deepEqual(
      lines.filter((line) => line.startsWith('mkfs')),
      [`mkfs.ext4 -F -m0 ${join(dev, 'sdb')}`],
    );
    assert.deepEqual([...held].sort(), [
      `kubernetes.io/fc/[${WWN} 50060e80aaaa]:1 uid-1`,
      `kubernetes.io/fc/[${WWN} 50060e80aaaa]:1 uid-2`,
    ]);
    lines = [];
    await driver.unmount(first);
    assert.deepEqual([mounter.mounts.has(place()), lines], [true, []]);
    await driver.unmount(second);
    assert.equal(mounter.mounts.size, 0);
    assert.deepEqual(lines, [`blockdev --flushbufs ${join(dev, 'sdb')}`]);
    assert.equal(await readFile(forgotten, 'utf8'), '1');
    await assert.rejects(access(place()));
    await assert.rejects(access(second.directory));
    assert.equal(held.size, 0);
    await driver.unmount(second);
  });

  it('uses the device that joins the paths, and takes it apart at the end', async () => {
    const deletes = [
      await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]),
      await disk('sdc', ['by-path/fc-0x50060e80aaaa-lun-1']),
    ];
    await joinPaths('dm-3', ['sdb', 'sdc']);
    onRun = (line) => (line.startsWith('blkid') ? 'TYPE=xfs' : '');
    const driver = start('fc');
    const wanted = claim(FC, { fc: { ...fc, fsType: 'xfs' }, mountOptions: ['noatime'] }, { readOnly: true });
    assert.ok((await driver.mount(wanted)).ok);
    assert.deepEqual(mounter.mounts.get(place()), {
      fsType: 'xfs',
      source: join(dev, 'dm-3'),
      target: place(),
      options: ['ro', 'noatime', 'defaults'],
    });
    assert.deepEqual(mounter.mounts.get(wanted.directory)?.options, ['ro', 'noatime']);
    lines = [];
    await driver.unmount(wanted);
    assert.equal(lines[0], `multipath -f ${join(dev, 'dm-3')}`);
    for (const file of deletes) assert.equal(await readFile(file, 'utf8'), '1');
  });

  it('asks every host to look again for a disk that is not there, by its id as well', async () => {
    const scans = [await control('class/scsi_host/host0/scan'), await control('class/scsi_host/host1/scan')];
    const driver = start('fc');
    const wanted = inline(FC, { fc: { wwids: ['ACME disk 1'] } });
    assert.deepEqual(await driver.mount(wanted), {
      ok: false,
      stage: 'MountVolume.WaitForAttach',
      message: 'no fc disk found',
    });
    for (const file of scans) assert.equal(await readFile(file, 'utf8'), '- - -');
    await disk('sdd', ['by-id/scsi-ACME_disk_1']);
    assert.ok((await driver.mount(wanted)).ok);
    assert.equal(mounter.mounts.get(place('ACME_disk_1'))?.source, join(dev, 'sdd'));
  });

  it('touches nothing before the cluster has attached the disk', async () => {
    isAttached = false;
    const wanted = claim(FC, { fc });
    const result = await start('fc').mount(wanted);
    assert.deepEqual(result, {
      ok: false,
      message: 'Volume not attached according to node status',
      stage: 'MountVolume.WaitForAttach',
    });
    assert.deepEqual([mounter.calls, lines], [[], []]);
    await start('fc').unmount(wanted);
    await assert.rejects(access(wanted.directory));
    assert.equal(held.size, 0);
  });

  it('hands out the device itself, and takes it back', async () => {
    const forgotten = await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]);
    const driver = start('fc');
    const wanted = claim(FC, { fc, volumeMode: 'Block' });
    const mapped = await driver.block.map(wanted);
    assert.deepEqual(
      mapped.ok && [mapped.value.hostPath, mapped.value.readOnly, mapped.value.gauge?.source],
      [wanted.directory, false, 'block'],
    );
    assert.equal(await readlink(wanted.directory), join(dev, 'sdb'));
    const file = join(rootDir, `plugins/kubernetes.io/fc/volumeDevices/${WWN}-50060e80aaaa-lun-1/uid-1`);
    assert.deepEqual([[...mounter.mounts.keys()], [...loops.keys()]], [[file], [file]]);
    await driver.block.unmap(wanted);
    assert.deepEqual([mounter.mounts.size, loops.size], [0, 0]);
    assert.equal(await readFile(forgotten, 'utf8'), '1');
    assert.deepEqual(await readdir(dirname(wanted.directory)), []);
  });

  it('finds by the mount table what another kubelet mounted', async () => {
    await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]);
    const wanted = claim(FC, { fc });
    await mkdir(wanted.directory, { recursive: true });
    await mkdir(place(), { recursive: true });
    for (const target of [place(), wanted.directory])
      await mounter.mount({ fsType: 'ext4', source: join(dev, 'sdb'), target, options: [] });
    mountTable = [place(), wanted.directory]
      .map((path, index) => `${index} 0 8:16 / ${path} rw - ext4 /dev/sdb rw`)
      .join('\n');
    await start('fc').unmount(wanted);
    assert.equal(mounter.mounts.size, 0);
    await assert.rejects(access(place()));
  });

  it('keeps a disk that another process has mounted elsewhere, until it is unmounted', async () => {
    const forgotten = await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]);
    const driver = start('fc');
    const wanted = claim(FC, { fc });
    await driver.mount(wanted);
    const line = (path: string): string => `1 0 8:16 / ${path} rw - ext4 /dev/sdb rw`;
    mountTable = [place(), `/copy${place()}`, '/mnt/backup'].map(line).join('\n');
    await assert.rejects(
      driver.unmount(wanted),
      /the device mount path ".*lun-1" is still mounted by other references \[\/mnt\/backup\]/,
    );
    assert.ok(mounter.mounts.has(place()));
    assert.equal(await readFile(forgotten, 'utf8'), '');
    mountTable = [place(), `/copy${place()}`].map(line).join('\n');
    await driver.unmount(wanted);
    assert.equal(await readFile(forgotten, 'utf8'), '1');
  });

  it('lets go of no device that is in use', NEEDS_MOUNTS, async () => {
    const file = join(base, 'image');
    await writeFile(file, '');
    await truncate(file, 4 * 2 ** 20);
    const loop = (await execute('losetup', ['-f', '--show', file])).stdout.trim();
    try {
      const devices = new ScsiDevices({ sys, dev });
      await devices.requireUnused(loop);
      await execute('mkfs.ext4', ['-q', loop]);
      await mkdir(join(base, 'mnt'));
      await execute('mount', [loop, join(base, 'mnt')]);
      try {
        await assert.rejects(
          devices.requireUnused(loop),
          /the device is in use when it was no longer expected to be in use/,
        );
      } finally {
        await execute('umount', [join(base, 'mnt')]);
      }
    } finally {
      await execute('losetup', ['-d', loop]);
    }
  });

  it('mounts a disk of one pod with the label of its containers', async () => {
    hasLabels = true;
    await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]);
    const pod = { securityContext: { seLinuxOptions: { level: 's0:c1,c2' } } };
    const containers = [sampleContainer({ volumeMounts: [{ name: 'data', mountPath: '/data' }] })];
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'disk' } }];
    const wanted = claim(
      FC,
      { fc, accessModes: ['ReadWriteOncePod'] },
      { pod: { ...pod, containers, volumes } },
    );
    const mounted = await start('fc').mount(wanted);
    assert.equal(mounted.ok && mounted.value.prepared.selinuxRelabel, false);
    const label = 'context="system_u:object_r:container_file_t:s0:c1,c2"';
    assert.deepEqual(mounter.mounts.get(place())?.options, [label, 'defaults']);
    assert.equal(mounter.mounts.get(wanted.directory)?.options, undefined);
  });

  it('does not take a directory that cannot be read for one without disks', async () => {
    await rm(rootDir, { recursive: true, force: true });
    await mkdir(rootDir);
    // A link to itself: there is a name, and no way to look behind it.
    await symlink('pods', join(rootDir, 'pods'));
    await assert.rejects(new DiskRecords(rootDir, FC).all(), /cannot list/);
  });

  it('reports after a start which disks pods use', async () => {
    await disk('sdb', [`by-path/fc-0x${WWN}-lun-1`]);
    await start('fc').mount(claim(FC, { fc }));
    const found = await new DiskRecords(rootDir, FC).all();
    assert.deepEqual(
      found.map(({ record, podUid }) => [record.name, podUid]),
      [[`kubernetes.io/fc/[${WWN} 50060e80aaaa]:1`, 'uid-1']],
    );
  });
});

describe('NetworkDiskDriver with iSCSI', () => {
  const iscsi: IscsiSource = { targetPortal: '10.0.0.1', iqn: IQN, lun: 2 };
  const place = `iface-default/10.0.0.1:3260-${IQN}-lun-2`;
  const global = (): string => join(rootDir, 'plugins/kubernetes.io/iscsi', place);
  let sessions: number;

  beforeEach(() => {
    sessions = 0;
  });

  /** What the kernel shows once the node has logged in through the portal. */
  async function showSession(address: string, device?: string): Promise<void> {
    const host = ++sessions;
    const session = `class/iscsi_host/host${host}/device/session${host}`;
    const put = async (path: string, text: string): Promise<void> =>
      writeFile(await control(`${session}/${path}`), `${text}\n`);
    const connection = `connection${host}:0/iscsi_connection/connection${host}:0`;
    await put(`iscsi_session/session${host}/targetname`, IQN);
    for (const prefix of ['', 'persistent_']) {
      await put(`${connection}/${prefix}address`, address);
      await put(`${connection}/${prefix}port`, '3260');
    }
    await control(`class/scsi_host/host${host}/scan`);
    if (device === undefined) return;
    await disk(device, [`by-path/ip-${address}:3260-iscsi-${IQN}-lun-2`]);
    await mkdir(join(sys, session, `target${host}:0:0/${host}:0:0:2/block`, device), { recursive: true });
  }

  /** Logging in to a portal shows its device. */
  const target = (portals: Readonly<Record<string, string | undefined>>) => async (line: string) => {
    if (line.endsWith('-o show'))
      return '# BEGIN\niface.iscsi_ifacename = default\niface.transport_name = tcp\niface.net_ifacename = <empty>\n# END\n';
    const portal = Object.keys(portals).find(
      (address) => line.includes(`-p ${address}:3260`) && line.endsWith('--login'),
    );
    if (portal !== undefined) await showSession(portal, portals[portal]);
    return '';
  };

  it('logs in, asks for the one number, notes it before the mount, and logs out after the last unmount', async () => {
    onRun = target({ '10.0.0.1': 'sdb' });
    const driver = start('iscsi');
    const wanted = claim(ISCSI, { iscsi });
    assert.ok((await driver.mount(wanted)).ok);
    const node = `iscsiadm -m node -p 10.0.0.1:3260 -T ${IQN} -I default`;
    const discovery = 'iscsiadm -m discoverydb -t sendtargets -p 10.0.0.1:3260 -I default';
    assert.deepEqual(lines.slice(0, 6), [
      'iscsiadm -m iface -I default -o show',
      `${discovery} -o new`,
      `${discovery} --discover`,
      `${node} -o update -n node.session.scan -v manual`,
      `${node} --login`,
      `iscsiadm -m node -p 10.0.0.1:3260 -T ${IQN} -o update -n node.startup -v manual`,
    ]);
    assert.equal(await readFile(join(sys, 'class/scsi_host/host1/scan'), 'utf8'), '0 0 2');
    assert.equal(mounter.mounts.get(global())?.source, join(dev, 'sdb'));
    const note = JSON.parse(await readFile(join(global(), 'iscsi.json'), 'utf8')) as { Iqn: string };
    assert.equal(note.Iqn, IQN);
    assert.deepEqual([...held], [`kubernetes.io/iscsi/10.0.0.1:${IQN}:2 uid-1`]);
    lines = [];
    await driver.unmount(wanted);
    const gone = `iscsiadm -m node -p 10.0.0.1:3260 -T ${IQN}`;
    assert.deepEqual(lines, [`${gone} --logout -I default`, `${gone} -o delete -I default`]);
    assert.equal(await readFile(join(sys, 'block/sdb/device/delete'), 'utf8'), '1');
    assert.equal(mounter.mounts.size, 0);
    await assert.rejects(access(global()));
  });

  it('stays logged in while another disk of the target is used', async () => {
    onRun = target({ '10.0.0.1': 'sdb' });
    const driver = start('iscsi');
    const wanted = claim(ISCSI, { iscsi });
    await driver.mount(wanted);
    const other = join(
      rootDir,
      `plugins/kubernetes.io/iscsi/volumeDevices/iface-default/10.0.0.1:3260-${IQN}-lun-3`,
    );
    await mkdir(other, { recursive: true });
    lines = [];
    await driver.unmount(wanted);
    assert.deepEqual(lines, []);
  });

  it('takes no session for a failure to leave, but keeps its note when leaving fails', async () => {
    onRun = target({ '10.0.0.1': 'sdb' });
    const driver = start('iscsi');
    const wanted = claim(ISCSI, { iscsi });
    await driver.mount(wanted);
    onRun = (line) => {
      if (line.includes('--logout')) throw exit(8, 'cannot reach the daemon');
      return '';
    };
    await assert.rejects(driver.unmount(wanted), /cannot reach the daemon/);
    await access(join(global(), 'iscsi.json'));
    await access(wanted.directory);
    onRun = (line) => {
      if (line.includes('--logout')) throw exit(21);
      if (line.includes('-o delete')) throw exit(2);
      return '';
    };
    await driver.unmount(wanted);
    await assert.rejects(access(wanted.directory));
  });

  it('goes on with two paths of three and the device that joins them', async () => {
    onRun = async (line) => {
      if (line.includes('-p 10.0.0.3:3260') && line.endsWith('--login')) throw exit(8, 'no route');
      return target({ '10.0.0.1': 'sdb', '10.0.0.2': 'sdc' })(line);
    };
    await joinPaths('dm-0', ['sdb', 'sdc']);
    const wanted = claim(ISCSI, { iscsi: { ...iscsi, portals: ['10.0.0.2', '10.0.0.3'] } });
    assert.ok((await start('iscsi').mount(wanted)).ok);
    assert.equal(mounter.mounts.get(global())?.source, join(dev, 'dm-0'));
    assert.equal(lines.filter((line) => line.includes('10.0.0.3') && line.endsWith('--login')).length, 2);
    assert.equal(lines.filter((line) => line.includes('10.0.0.1') && line.endsWith('--login')).length, 1);
    assert.ok(lines.includes(`iscsiadm -m node -p 10.0.0.3:3260 -T ${IQN} -I default -o delete`));
  });

  it('waits for the device half a minute for each portal, then says what it saw last', async () => {
    onRun = target({ '10.0.0.1': undefined });
    const mounted = start('iscsi').mount(claim(ISCSI, { iscsi }));
    let result: Awaited<typeof mounted> | undefined;
    mounted.then((value) => {
      result = value;
    }, assert.fail);
    while (result === undefined) {
      if (clock.nextTimerAtMs === undefined) await new Promise(setImmediate);
      else await clock.advance(1000);
    }
    const path = join(dev, `disk/by-path/ip-10.0.0.1:3260-iscsi-${IQN}-lun-2`);
    assert.deepEqual(await mounted, {
      ok: false,
      stage: 'MountVolume.WaitForAttach',
      message: `failed to get any path for iscsi disk, last err seen:\nTimed out waiting for device at path ${path} after 30s`,
    });
  });

  it('has a copy of the interface for its own initiator, and secrets for both steps', async () => {
    onRun = target({ '10.0.0.1': 'sdb' });
    const source = {
      ...iscsi,
      initiatorName: 'iqn.me',
      chapAuthDiscovery: true,
      chapAuthSession: true,
      secretRef: { name: 'chap', namespace: 'vault' },
    };
    const driver = start('iscsi');
    const wanted = claim(ISCSI, { iscsi: source });
    assert.ok((await driver.mount(wanted)).ok);
    const own = '10.0.0.1:3260:pv-1';
    assert.deepEqual(lines.slice(2, 6), [
      `iscsiadm -m iface -I ${own} -o new`,
      `iscsiadm -m iface -I ${own} -o update -n iface.initiatorname -v iqn.me`,
      `iscsiadm -m iface -I ${own} -o update -n iface.transport_name -v tcp`,
      `iscsiadm -m discoverydb -t sendtargets -p 10.0.0.1:3260 -I ${own} -o new`,
    ]);
    const set = lines.filter((line) => line.includes('.auth.')).map((line) => line.split(' -n ')[1]);
    assert.deepEqual(set, [
      'discovery.sendtargets.auth.authmethod -v CHAP',
      'discovery.sendtargets.auth.username -v du',
      'node.session.auth.authmethod -v CHAP',
      'node.session.auth.password -v sp-vault',
    ]);
    lines = [];
    await driver.unmount(wanted);
    assert.equal(lines.at(-1), `iscsiadm -m iface -I ${own} -o delete`);
  });

  it('refuses what it cannot have, and says at which step', async () => {
    const driver = start('iscsi');
    const missing = { ...iscsi, chapAuthSession: true, secretRef: { name: 'none' } };
    const refused = await driver.mount(inline(ISCSI, { iscsi: missing }));
    assert.deepEqual(refused, {
      ok: false,
      stage: 'MountVolume.NewMounter initialization',
      message: 'couldn\'t get secret market/none error: secrets "none" not found',
    });
    onRun = target({ '10.0.0.1': 'sdb' });
    mounter.failure = mountFailure('wrong fs type');
    const unmountable = await driver.mount(claim(ISCSI, { iscsi }));
    assert.deepEqual(unmountable, { ok: false, stage: 'MountVolume.MountDevice', message: 'wrong fs type' });
  });
});
