/** Volumes of a real NFS server on this machine, over version 4 and 3, also while the server is away. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
const HAS_SERVER = existsSync('/usr/sbin/exportfs') && existsSync('/run/systemd/system');
/** The file system of the root cannot be exported where it is an overlay; this one is a disk. */
const SHARE = '/var/tmp/nfs-share';
const SERVER = '127.0.0.1';
const VOLUMES = toCollection('', 'v1', 'persistentvolumes');
const CLAIMS = toCollection('', 'v1', 'persistentvolumeclaims', 'default');

const server = (verb: 'start' | 'stop'): Promise<unknown> => run('systemctl', [verb, 'nfs-server.service']);

/** Writes its name and the time again and again, each time for good. */
function writer(name: string, volume: object): SamplePod {
  const script = `n=0; while :; do n=$((n + 1)); echo $n >/share/${name}; sync /share/${name}; sleep 0.5; done`;
  return samplePod(name, {
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'share', ...volume }],
    containers: [
      container('main', ['sh', '-c', script], { volumeMounts: [{ name: 'share', mountPath: '/share' }] }),
    ],
  });
}

/** As administrator and volume controller leave it. */
function createClaim({ api }: ClusterNode, name: string, mountOptions: readonly string[]): void {
  const claimUid = randomUUID();
  api.store.create(VOLUMES, {
    metadata: { name, uid: randomUUID() },
    spec: {
      accessModes: ['ReadWriteMany'],
      capacity: { storage: '1Gi' },
      mountOptions: [...mountOptions],
      nfs: { server: SERVER, path: SHARE },
      claimRef: { namespace: 'default', name, uid: claimUid },
      volumeMode: 'Filesystem',
    },
    status: { phase: 'Bound' },
  });
  api.store.create(CLAIMS, {
    metadata: { name, namespace: 'default', uid: claimUid },
    spec: { volumeName: name, accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem' },
    status: { phase: 'Bound' },
  });
}

async function readNumber(name: string): Promise<number> {
  return Number(await readFile(join(SHARE, name), 'utf8').catch(() => '0'));
}

describe('NFS', { skip: !HAS_SERVER && 'there is no NFS server here' }, () => {
  before(async () => {
    await mkdir(SHARE, { recursive: true });
    await run('systemctl', ['start', 'rpcbind.service', 'rpc-statd.service']);
    await server('start');
    await run('exportfs', ['-o', 'rw,no_root_squash,sync,fsid=1,insecure', `${SERVER}:${SHARE}`]);
  });
  after(async () => {
    await server('stop');
    await rm(SHARE, { recursive: true, force: true });
  });

  it('versions 4 and 3 are mounted, written, go on after the server was away, and are unmounted', () =>
    withClusterNode({}, async (cluster) => {
      const { node } = cluster;
      createClaim(cluster, 'old', ['nfsvers=3']);
      cluster.createPod(writer('four', { nfs: { server: SERVER, path: SHARE } }));
      cluster.createPod(writer('three', { persistentVolumeClaim: { claimName: 'old' } }));
      for (const name of ['four', 'three']) await cluster.waitRunning(name);
      const mounts = (await readFile('/proc/mounts', 'utf8'))
        .split('\n')
        .filter((line) => line.includes(SHARE));
      assert.deepEqual(mounts.map((line) => /vers=(\d)/.exec(line)?.[1]).sort(), ['3', '4']);
      const grows = async (name: string): Promise<void> => {
        const before = await readNumber(name);
        await node.waitFor(`"${name}" to write on`, async () => (await readNumber(name)) > before, 120_000);
      };
      for (const name of ['four', 'three']) await grows(name);

      await server('stop');
      // Others start and end meanwhile.
      cluster.createPod(samplePod('other', { containers: [container('main', ['sleep', '1000'])] }));
      await cluster.waitRunning('other');
      await server('start');
      await run('exportfs', ['-o', 'rw,no_root_squash,sync,fsid=1,insecure', `${SERVER}:${SHARE}`]);
      for (const name of ['four', 'three']) await grows(name);
      for (const name of ['four', 'three'])
        assert.equal(cluster.podStatus(name).containerStatuses?.[0]?.restartCount, 0);
    }));
});
