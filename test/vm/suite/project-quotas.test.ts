/** Volumes that the kernel counts by project quotas, on file systems that can: also what no name leads to any more. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { unmountBelow } from '../../../scripts/demo/unmount-below.ts';
import type { Summary } from '../../../src/core/stats/summary.ts';
import { withClusterNode } from '../../integration/cluster-node.ts';
import type { TestNode } from '../../integration/node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
/** In namespaces of a host its kernel decides. */
const HAS_OWN_KERNEL = existsSync('/dev/virtio-ports/report') && existsSync('/usr/sbin/xfs_quota');
const MIB = 2 ** 20;
/** The least that xfs is made of is 300 MiB. */
const DISK_BYTES = 400 * MIB;
const OPEN_BYTES = 12 * MIB;
const MAKERS = {
  xfs: ['mkfs.xfs', '-q', '-f'],
  ext4: ['mkfs.ext4', '-q', '-F', '-O', 'quota,project', '-E', 'quotatype=prjquota'],
} as const;

interface Disk extends AsyncDisposable {
  readonly path: string;
}

async function makeDisk(fsType: keyof typeof MAKERS): Promise<Disk> {
  const directory = await mkdtemp(join(tmpdir(), 'quota-disk-'));
  const [image, path] = [join(directory, 'image'), join(directory, 'mounted')];
  {
    await using file = await open(image, 'wx');
    await file.truncate(DISK_BYTES);
  }
  const [program, ...args] = MAKERS[fsType];
  await run(program, [...args, image]);
  await mkdir(path);
  await run('mount', ['-o', 'loop,prjquota', image, path]);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await unmountBelow(path);
      await rm(directory, { recursive: true });
    },
  };
}

/** Holds a file open that it has removed: who looks for files finds nothing. */
function holdingPod(name: string, sizeLimit: string): SamplePod {
  const script = `exec 3>/data/gone; rm /data/gone; head -c ${OPEN_BYTES} /dev/zero >&3; exec sleep 1000`;
  return samplePod(name, {
    hostUsers: false,
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'data', emptyDir: { sizeLimit } }],
    containers: [
      container('main', ['sh', '-c', script], { volumeMounts: [{ name: 'data', mountPath: '/data' }] }),
    ],
  });
}

async function readUse(node: TestNode, name: string): Promise<number | undefined> {
  const response = await fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}/stats/summary`);
  const { pods } = (await response.json()) as Summary;
  const volumes = pods.find(({ podRef }) => podRef.name === name)?.volume;
  return volumes?.find((volume) => volume.name === 'data')?.usedBytes;
}

const readProjects = (): Promise<string> => readFile('/etc/projects', 'utf8').catch(() => '');

describe('project quotas', { skip: !HAS_OWN_KERNEL && 'this kernel is the host’s' }, () => {
  for (const fsType of ['xfs', 'ext4'] as const)
    it(`of ${fsType} count a file that is open and has no name, and the pod above its limit ends`, async () => {
      await using disk = await makeDisk(fsType);
      const config = {
        featureGates: { LocalStorageCapacityIsolationFSQuotaMonitoring: true },
        evictionHard: { 'memory.available': '50Mi' },
        volumeStatsAggPeriod: '1s',
      };
      await withClusterNode({ config, dataDirectory: disk.path }, async (cluster) => {
        const { node } = cluster;
        cluster.createPod(holdingPod('holding', '64Mi'));
        await cluster.waitRunning('holding');
        await node.waitFor(
          'the file to be counted',
          async () => ((await readUse(node, 'holding')) ?? 0) >= OPEN_BYTES,
          60_000,
        );
        assert.match(await readProjects(), new RegExp(`^\\d+:${disk.path}/root/pods/.*/data$`, 'm'));
        cluster.createPod(holdingPod('greedy', '4Mi'));
        const { reason, message } = await cluster.waitForPod(
          'greedy',
          'evicted',
          ({ phase }) => phase === 'Failed',
        );
        assert.equal(reason, 'Evicted');
        assert.match(message ?? '', /^Usage of EmptyDir volume "data" exceeds the limit "4Mi"\. $/);
      });
      assert.doesNotMatch(await readProjects(), new RegExp(disk.path));
    });
});
