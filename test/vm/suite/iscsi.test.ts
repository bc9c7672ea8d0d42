/**
 * Disks of a real iSCSI target on this machine: with a password, over two portals, also while the target is away; and
 * with both paths joined to one device, of which one is cut.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import type { TestNode } from '../../integration/node.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';

const run = promisify(execFile);
const HAS_TARGET = existsSync('/usr/sbin/tgtd') && existsSync('/run/systemd/system');
const DISK = '/var/tmp/iscsi-disk';
const TARGET_FILE = '/etc/tgt/conf.d/kubelet-test.conf';
const IQN = 'iqn.2026-01.example:disk';
const [USER, PASSWORD] = ['someone', 'correct-horse-1'];
const PORTALS = ['127.0.0.1:3260', '127.0.0.2:3260'];
const SECRETS = toCollection('', 'v1', 'secrets', 'default');

const TARGET = `<target ${IQN}>
  backing-store ${DISK}
  incominguser ${USER} ${PASSWORD}
</target>
`;

/** Both paths of the disk become one device; a path that does not answer is given up soon. */
const MULTIPATH_FILE = '/etc/multipath.conf';
const MULTIPATH = `defaults {
  find_multipaths yes
  user_friendly_names no
  polling_interval 2
  max_polling_interval 4
  fast_io_fail_tmo 5
}
blacklist {
  devnode "^(vd|loop)"
}
`;
const CUT = ['INPUT', '-d', '127.0.0.2', '-p', 'tcp', '--dport', '3260', '-j', 'DROP'];

const service = (verb: 'start' | 'stop', name: string): Promise<unknown> => run('systemctl', [verb, name]);

/** What is logged in to, one line for each path; none is an error of the program. */
async function listSessions(): Promise<string[]> {
  const { stdout } = await run('iscsiadm', ['-m', 'session']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((line) => line.includes(IQN));
}

/** Devices that join others, such as `dm-0`. */
const listJoined = async (): Promise<string[]> =>
  (await readdir('/sys/block')).filter((name) => name.startsWith('dm-'));

/** Nothing is logged in to, and nothing joins what is no longer there. */
async function waitLetGo(node: TestNode): Promise<void> {
  await node.waitFor('the sessions to end', async () => (await listSessions()).length === 0, 60_000);
  await node.waitFor('the device to go', async () => (await listJoined()).length === 0, 60_000);
}

/** What the file system of the pod's disk lies on. */
async function mountedDevice(): Promise<string | undefined> {
  const mounts = await readFile('/proc/mounts', 'utf8');
  return /^(\/dev\/\S+) \S*kubernetes\.io~iscsi\S* ext4 /m.exec(mounts)?.[1];
}

function createSecret({ api }: ClusterNode, name: string, password: string): void {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  api.store.create(SECRETS, {
    metadata: { name, namespace: 'default', uid: randomUUID() },
    type: 'kubernetes.io/iscsi-chap',
    data: { 'node.session.auth.username': encode(USER), 'node.session.auth.password': encode(password) },
  });
}

/** Counts on the disk, each number for good; begins with what it finds. */
function counter(name: string, secret: string, portals: readonly string[]): SamplePod {
  const script = [
    'n=$(tail -n 1 /disk/numbers 2>/dev/null); [ -n "$n" ] || n=0; echo "found $n"',
    'while :; do n=$((n + 1)); echo $n >>/disk/numbers; sync /disk/numbers; echo "kept $n"; sleep 0.5; done',
  ].join('\n');
  const [targetPortal, ...others] = portals;
  const source = { targetPortal, portals: others, iqn: IQN, lun: 1, fsType: 'ext4', chapAuthSession: true };
  return samplePod(name, {
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'disk', iscsi: { ...source, secretRef: { name: secret } } }],
    containers: [
      container('main', ['sh', '-c', script], { volumeMounts: [{ name: 'disk', mountPath: '/disk' }] }),
    ],
  });
}

/** What the container wrote to its log with this first word, in order. */
async function readNumbers({ node }: ClusterNode, name: string, word: string): Promise<number[]> {
  const { stdout } = await run('sh', [
    '-c',
    `cat ${node.kubelet.podLogsDir}/default_${name}_*/main/*.log 2>/dev/null || true`,
  ]);
  return [...stdout.matchAll(new RegExp(` ${word} (\\d+)$`, 'gm'))].map((match) => Number(match[1]));
}

const lastKept = async (cluster: ClusterNode, name: string): Promise<number> =>
  (await readNumbers(cluster, name, 'kept')).at(-1) ?? 0;

/** More than one number: the first may have been on its way. */
async function waitWritten(cluster: ClusterNode, name: string): Promise<void> {
  const before = await lastKept(cluster, name);
  await cluster.node.waitFor(
    `"${name}" to write on`,
    async () => (await lastKept(cluster, name)) > before + 1,
    120_000,
  );
}

describe('iSCSI', { skip: !HAS_TARGET && 'there is no iSCSI target here' }, () => {
  before(async () => {
    await using file = await open(DISK, 'w');
    await file.truncate(64 * 2 ** 20);
    await writeFile(TARGET_FILE, TARGET);
    await service('start', 'tgt.service');
    await service('start', 'iscsid.service');
  });
  after(async () => {
    await service('stop', 'tgt.service');
    await rm(DISK, { force: true });
    await rm(TARGET_FILE, { force: true });
  });

  const config = { enableControllerAttachDetach: false };

  it('disks are mounted over two paths, outlive a target that dies, keep what was on them, and are let go', () =>
    withClusterNode({ config }, async (cluster) => {
      const { node } = cluster;
      createSecret(cluster, 'right', PASSWORD);
      cluster.createPod(counter('first', 'right', PORTALS));
      await cluster.waitRunning('first');
      assert.equal((await listSessions()).length, PORTALS.length);
      await waitWritten(cluster, 'first');

      await run('systemctl', ['kill', '--signal=KILL', 'tgt.service']);
      // Others start and end meanwhile.
      cluster.createPod(samplePod('other', { containers: [container('main', ['sleep', '1000'])] }));
      await cluster.waitRunning('other');
      await service('start', 'tgt.service');
      await waitWritten(cluster, 'first');
      assert.equal(cluster.podStatus('first').containerStatuses?.[0]?.restartCount, 0);

      const kept = await lastKept(cluster, 'first');
      cluster.deletePods();
      await waitLetGo(node);
      cluster.createPod(counter('second', 'right', PORTALS.slice(0, 1)));
      await cluster.waitRunning('second');
      assert.equal((await listSessions()).length, 1);
      const [found = 0] = await readNumbers(cluster, 'second', 'found');
      assert.ok(found >= kept, `${found} were found, ${kept} were safe`);
      assert.match((await mountedDevice()) ?? '', /^\/dev\/sd\w+$/);
    }));

  it('a wrong password is said to be the reason, and the right one mends it', () =>
    withClusterNode({ config }, async (cluster) => {
      createSecret(cluster, 'changing', 'not-the-password');
      cluster.createPod(counter('locked-out', 'changing', PORTALS.slice(0, 1)));
      await cluster.node.waitForLine(
        'that the log-in failed',
        ({ msg, reason, message }) =>
          msg === 'event' && reason === 'FailedMount' && /authorization|login/i.test(String(message)),
        120_000,
      );
      assert.deepEqual(await listSessions(), []);
      cluster.api.store.delete(SECRETS, 'changing', {});
      createSecret(cluster, 'changing', PASSWORD);
      await cluster.waitRunning('locked-out');
    }));

  const canJoin = existsSync('/usr/sbin/multipathd');
  it('paths that are joined are one device, which outlives the loss of one of them and is let go of whole', {
    skip: !canJoin && 'there is no multipathd here',
  }, async () => {
    await writeFile(MULTIPATH_FILE, MULTIPATH);
    await service('start', 'multipathd.service');
    try {
      await withClusterNode({ config }, async (cluster) => {
        const { node } = cluster;
        createSecret(cluster, 'joined', PASSWORD);
        cluster.createPod(counter('both', 'joined', PORTALS));
        await cluster.waitRunning('both');
        assert.equal((await listSessions()).length, PORTALS.length);
        const [device, ...others] = await listJoined();
        assert.deepEqual(others, []);
        assert.equal((await readdir(`/sys/block/${device}/slaves`)).length, PORTALS.length);
        assert.equal(await realpath((await mountedDevice()) ?? ''), `/dev/${device}`);
        await waitWritten(cluster, 'both');

        await run('iptables', ['-I', ...CUT]);
        try {
          await node.waitFor(
            'one path to be given up',
            async () => /failed/.test((await run('multipath', ['-ll'])).stdout),
            120_000,
          );
          // A kubelet that starts now finds what was there before.
          await node.restart();
          await waitWritten(cluster, 'both');
        } finally {
          await run('iptables', ['-D', ...CUT]);
        }
        await node.waitFor(
          'both paths to be used again',
          async () => !/failed/.test((await run('multipath', ['-ll'])).stdout),
          120_000,
        );
        assert.equal(cluster.podStatus('both').containerStatuses?.[0]?.restartCount, 0);
        const kept = await lastKept(cluster, 'both');

        cluster.deletePods();
        await waitLetGo(node);
        cluster.createPod(counter('again', 'joined', PORTALS));
        await cluster.waitRunning('again');
        const [found = 0] = await readNumbers(cluster, 'again', 'found');
        assert.ok(found >= kept, `${found} were found, ${kept} were safe`);
        assert.match(await realpath((await mountedDevice()) ?? ''), /^\/dev\/dm-/);
        cluster.deletePods();
        await waitLetGo(node);
      });
    } finally {
      await service('stop', 'multipathd.service');
      await rm(MULTIPATH_FILE, { force: true });
      await rm('/etc/multipath/wwids', { force: true });
    }
  });
});
