/** Disks of a real iSCSI target on this machine: with a password, over two portals, also while the target is away. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
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

const service = (verb: 'start' | 'stop', name: string): Promise<unknown> => run('systemctl', [verb, name]);

/** What is logged in to, one line for each path; none is an error of the program. */
async function listSessions(): Promise<string[]> {
  const { stdout } = await run('iscsiadm', ['-m', 'session']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((line) => line.includes(IQN));
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
      const last = async (name: string): Promise<number> =>
        (await readNumbers(cluster, name, 'kept')).at(-1) ?? 0;
      const grows = async (name: string): Promise<void> => {
        const before = await last(name);
        await node.waitFor(`"${name}" to write on`, async () => (await last(name)) > before, 120_000);
      };
      await grows('first');

      await run('systemctl', ['kill', '--signal=KILL', 'tgt.service']);
      // Others start and end meanwhile.
      cluster.createPod(samplePod('other', { containers: [container('main', ['sleep', '1000'])] }));
      await cluster.waitRunning('other');
      await service('start', 'tgt.service');
      await grows('first');
      assert.equal(cluster.podStatus('first').containerStatuses?.[0]?.restartCount, 0);

      const kept = await last('first');
      cluster.deletePods();
      await node.waitFor('the sessions to end', async () => (await listSessions()).length === 0, 60_000);
      cluster.createPod(counter('second', 'right', PORTALS.slice(0, 1)));
      await cluster.waitRunning('second');
      assert.equal((await listSessions()).length, 1);
      const [found = 0] = await readNumbers(cluster, 'second', 'found');
      assert.ok(found >= kept, `${found} were found, ${kept} were safe`);
      const mounts = await readFile('/proc/mounts', 'utf8');
      assert.match(mounts, /^\/dev\/sd\w+ \S*kubernetes\.io~iscsi\S* ext4 /m);
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
});
