/**
 * Disks of the node behind claims, on loop devices: blank ones get the file system that is asked for, btrfs among
 * them; all of them grow while they are in use; a device that a pod has as it is grows too.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, statfs, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
/** A host's kernel may lack the file systems, and the right to let ext4 grow. */
const HAS_OWN_KERNEL = existsSync('/dev/virtio-ports/report') && existsSync('/usr/sbin/mkfs.xfs');
const VOLUMES = toCollection('', 'v1', 'persistentvolumes');
const CLAIMS = toCollection('', 'v1', 'persistentvolumeclaims', 'default');
const KINDS = ['btrfs', 'ext4', 'xfs'] as const;
const MIB = 2 ** 20;
/** The least that xfs is made of is 300 MiB. */
const [SMALL, LARGE, LARGEST] = [320, 640, 960] as const;
/** A claim is looked at again after 60 to 90 s. */
const GROWN_MS = 150_000;

interface Disks extends AsyncDisposable {
  add(name: string): Promise<string>;
  grow(mib: number): Promise<void>;
}

async function makeDisks(): Promise<Disks> {
  const directory = await mkdtemp(join(tmpdir(), 'local-disks-'));
  const loops = new Map<string, string>();
  return {
    add: async (name) => {
      const file = join(directory, name);
      await writeFile(file, '');
      await truncate(file, SMALL * MIB);
      const loop = (await run('losetup', ['-f', '--show', file])).stdout.trim();
      loops.set(file, loop);
      return loop;
    },
    grow: async (mib) => {
      for (const [file, loop] of loops) {
        await truncate(file, mib * MIB);
        await run('losetup', ['-c', loop]);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const loop of loops.values()) await run('losetup', ['-d', loop]);
      await rm(directory, { recursive: true });
    },
  };
}

/** A volume of the disk and its claim, as their controllers leave them. */
function createClaim({ api }: ClusterNode, name: string, spec: object): void {
  const accessModes = ['ReadWriteOnce'];
  const capacity = { storage: `${SMALL}Mi` };
  const mode = { volumeMode: 'Filesystem', ...spec }.volumeMode;
  api.store.create(VOLUMES, {
    metadata: { name: `pv-${name}` },
    spec: {
      accessModes,
      capacity,
      claimRef: { namespace: 'default', name, uid: `claim-${name}` },
      ...spec,
      volumeMode: mode,
    },
  });
  api.store.create(CLAIMS, {
    metadata: { name, uid: `claim-${name}` },
    spec: { accessModes, volumeMode: mode, volumeName: `pv-${name}`, resources: { requests: capacity } },
    status: { phase: 'Bound', accessModes, capacity },
  });
}

/** What its controller does once the disk is larger. */
function enlarge({ api }: ClusterNode, name: string, mib: number): void {
  api.store.patch(VOLUMES, `pv-${name}`, { spec: { capacity: { storage: `${mib}Mi` } } }, 'merge');
}

function shownSize({ api }: ClusterNode, name: string): string | undefined {
  const { status } = api.store.get(CLAIMS, name) as { status?: { capacity?: { storage?: string } } };
  return status?.capacity?.storage;
}

const claimed = (claimName: string): object[] => [{ name: 'disk', persistentVolumeClaim: { claimName } }];

/** Says what it found, leaves its name, and stays. */
function filePod(name: string, claim: string): SamplePod {
  const script = `echo "found $(cat /disk/name 2>/dev/null)"; echo ${name} >/disk/name; sync /disk/name; exec sleep 1000`;
  return samplePod(name, {
    terminationGracePeriodSeconds: 0,
    securityContext: { fsGroup: 4321 },
    volumes: claimed(claim),
    containers: [
      container('main', ['sh', '-c', script], {
        volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
        readinessProbe: { exec: { command: ['grep', '-q', name, '/disk/name'] }, periodSeconds: 1 },
      }),
    ],
  });
}

/** Leaves a word at the start of the device, and says how much there is to read where it ended before. */
function devicePod(name: string, claim: string): SamplePod {
  const script = [
    'echo word | dd of=/dev/raw conv=notrunc,fsync 2>/dev/null',
    `while :; do echo "beyond $(dd if=/dev/raw bs=1M skip=${SMALL} count=1 2>/dev/null | wc -c) $(head -c 4 /dev/raw)"; sleep 1; done`,
  ].join('\n');
  return samplePod(name, {
    terminationGracePeriodSeconds: 0,
    volumes: claimed(claim),
    containers: [
      container('main', ['sh', '-c', script], { volumeDevices: [{ name: 'disk', devicePath: '/dev/raw' }] }),
    ],
  });
}

async function readLog({ node }: ClusterNode, name: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', `cat ${node.kubelet.podLogsDir}/default_${name}_*/main/*.log`]);
  return stdout;
}

/** Type and options of each mount of the device. */
async function mountsOf(device: string): Promise<{ place: string; type: string; options: string }[]> {
  const lines = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  return lines
    .filter(([source]) => source === device)
    .map(([, place = '', type = '', options = '']) => ({ place, type, options }));
}

async function sizeOf(place: string): Promise<number> {
  const { blocks, bsize } = await statfs(place);
  return (blocks * bsize) / MIB;
}

const restartsOf = (cluster: ClusterNode, names: readonly string[]): (number | undefined)[] =>
  names.map((name) => cluster.podStatus(name).containerStatuses?.[0]?.restartCount);

describe('local disks', { skip: !HAS_OWN_KERNEL && 'this kernel is the host’s' }, () => {
  it('get a file system when they are blank, grow in use, also as devices, and keep what is on them', async () => {
    await using disks = await makeDisks();
    const loops = new Map<string, string>();
    for (const name of [...KINDS, 'raw']) loops.set(name, await disks.add(name));
    const local = (name: string) => ({ local: { path: loops.get(name), fsType: name } });
    await withClusterNode({}, async (cluster) => {
      const { node } = cluster;
      createClaim(cluster, 'btrfs', { ...local('btrfs'), mountOptions: ['compress=zstd'] });
      for (const name of ['ext4', 'xfs'] as const) createClaim(cluster, name, local(name));
      createClaim(cluster, 'raw', { volumeMode: 'Block', local: { path: loops.get('raw') } });
      for (const kind of KINDS) cluster.createPod(filePod(`first-${kind}`, kind));
      cluster.createPod(devicePod('device', 'raw'));
      const pods = [...KINDS.map((kind) => `first-${kind}`), 'device'];
      for (const name of pods) await cluster.waitRunning(name);
      const mountsByKind = async () =>
        Promise.all(KINDS.map(async (kind) => ({ kind, mounts: await mountsOf(loops.get(kind) ?? '') })));
      // Once for the node, once for the pod.
      for (const { kind, mounts } of await mountsByKind())
        assert.deepEqual(
          mounts.map(({ type }) => type),
          [kind, kind],
        );
      assert.match((await mountsOf(loops.get('btrfs') ?? ''))[0]?.options ?? '', /compress=zstd/);
      const waitForSize = async (mib: number): Promise<void> => {
        for (const name of [...KINDS, 'raw'])
          await node.waitFor(
            `the claim "${name}" to show ${mib} MiB`,
            () => shownSize(cluster, name) === `${mib}Mi`,
            GROWN_MS,
          );
        // A file system needs some of it for itself, xfs 64 MiB for its log.
        for (const { kind, mounts } of await mountsByKind()) {
          const size = await sizeOf(mounts[0]?.place ?? '');
          assert.ok(size > mib - 100 && size <= mib, `${kind} has ${size} MiB of ${mib}`);
        }
      };

      await waitForSize(SMALL);
      await disks.grow(LARGE);
      for (const name of [...KINDS, 'raw']) enlarge(cluster, name, LARGE);
      await waitForSize(LARGE);
      // And what an earlier process mounted, at the start of the next one.
      await node.kubelet.stop();
      await disks.grow(LARGEST);
      for (const name of [...KINDS, 'raw']) enlarge(cluster, name, LARGEST);
      await node.startAgain();
      await waitForSize(LARGEST);
      await node.waitFor(
        'the pod to read what was added to its device',
        async () => new RegExp(` beyond ${MIB} word$`, 'm').test(await readLog(cluster, 'device')),
        30_000,
      );
      assert.deepEqual(
        restartsOf(cluster, pods),
        pods.map(() => 0),
      );

      cluster.deletePods();
      await node.waitFor(
        'the disks to be unmounted',
        async () => (await Promise.all([...loops.values()].map(mountsOf))).flat().length === 0,
        60_000,
      );
      for (const kind of KINDS) cluster.createPod(filePod(`second-${kind}`, kind));
      for (const kind of KINDS) {
        await cluster.waitRunning(`second-${kind}`);
        assert.match(await readLog(cluster, `second-${kind}`), new RegExp(` found first-${kind}$`, 'm'));
      }
    });
  });

  it('that hold another file system than the volume names are not formatted, and the volume says so', async () => {
    await using disks = await makeDisks();
    const path = await disks.add('other');
    await run('mkfs.btrfs', ['-q', path]);
    await withClusterNode({}, async (cluster) => {
      createClaim(cluster, 'other', { local: { path, fsType: 'xfs' } });
      cluster.createPod(filePod('waiting', 'other'));
      await cluster.node.waitForLine(
        'that the file system is another',
        ({ msg, reason }) => msg === 'event' && reason === 'FailedMountOnFilesystemMismatch',
        60_000,
      );
    });
    const { stdout } = await run('blkid', ['-p', '-s', 'TYPE', '-o', 'value', path]);
    assert.equal(stdout.trim(), 'btrfs');
  });
});
