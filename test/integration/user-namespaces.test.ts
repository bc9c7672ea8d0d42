/**
 * Pods with users of their own (`hostUsers: false`) on real containerd: which
 * ids they have, what they see of their volumes, what is open to them in
 * /proc, and that their ids are theirs for as long as they are there.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import { toContainerId } from '../../src/core/model/ids.ts';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { containerdEndpoint, containerStatus, type TestNode, withNode } from './node.ts';
import { isAble } from './runtime-abilities.ts';
import { container, samplePod } from './sample-pods.ts';

const IDS_PER_POD = 65_536;
/** So many that the whole range of the node has three slots, of which the kernel takes two. */
const HUGE_IDS_PER_POD = 2 ** 30;

type Fields = Readonly<Record<string, unknown>>;

/** Sleeps under a name of its own, so that its process can be found on the host. */
function sleeper(name: string, mark: string, spec: Fields = {}) {
  const command = ['/bin/tini', '--', 'sh', '-c', 'exec sleep 1000000', mark];
  const readinessProbe = { exec: { command: ['true'] }, periodSeconds: 1 };
  return samplePod(name, {
    hostUsers: false,
    containers: [container('main', command, { readinessProbe })],
    ...spec,
  });
}

/** What the container sees. */
async function look(node: TestNode, pod: ListedPod, script: string): Promise<string> {
  const { containerID = '' } = containerStatus(pod, 'main');
  const id = toContainerId(containerID.replace('containerd://', ''));
  const { stdout } = await node.cri.runtime.execSync(id, ['sh', '-c', script], 10);
  return Buffer.from(stdout).toString().trim();
}

/** The first host id of the pod, which kernel, container and the pod's file agree on. */
async function hostIdOf(node: TestNode, pod: ListedPod, idsPerPod = IDS_PER_POD): Promise<number> {
  const maps = await look(node, pod, 'cat /proc/self/uid_map /proc/self/gid_map');
  const [users = '', groups] = maps.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
  const hostId = Number(users.split(' ')[1]);
  assert.equal(users, `0 ${hostId} ${idsPerPod}`);
  assert.equal(groups, users, 'groups are mapped as users are');
  assert.ok(hostId >= idsPerPod && hostId % idsPerPod === 0, `${hostId} is the start of a slot`);
  const file = await readFile(join(node.kubelet.rootDir, 'pods', pod.metadata.uid, 'userns'), 'utf8');
  const mapping = { hostId, containerId: 0, length: idsPerPod };
  assert.deepEqual(JSON.parse(file), { uidMappings: [mapping], gidMappings: [mapping] });
  return hostId;
}

/** User and group, as the host sees them, of the process whose arguments hold `mark`. */
async function idsOnHost(mark: string): Promise<[uid: number, gid: number]> {
  for (const pid of await readdir('/proc')) {
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!args.startsWith('/bin/tini') || !args.includes(mark)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const [uid, gid] = ['Uid', 'Gid'].map((name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]),
    );
    assert.ok(uid !== undefined && gid !== undefined);
    return [uid, gid];
  }
  return assert.fail(`no process with "${mark}"`);
}

describe('a pod with users of its own', () => {
  it('has ids no other pod has, and its root is unprivileged on the host', (t) =>
    withNode({}, async (node) => {
      if (!(await isAble(t, node, 'userNamespaces'))) return;
      const marks = [0, 1].map(() => `mark-${randomBytes(6).toString('hex')}`) as [string, string];
      await node.writeManifest('root.yaml', sleeper('root', marks[0]));
      const securityContext = { runAsUser: 1000, runAsGroup: 2000 };
      await node.writeManifest('user.yaml', sleeper('user', marks[1], { securityContext }));
      const pods = [await node.waitReady('root', 60_000), await node.waitReady('user', 60_000)] as const;
      const [first, second] = [await hostIdOf(node, pods[0]), await hostIdOf(node, pods[1])];
      assert.notEqual(first, second);
      assert.deepEqual(await idsOnHost(marks[0]), [first, first]);
      assert.deepEqual(await idsOnHost(marks[1]), [second + 1000, second + 2000]);
      assert.equal(await look(node, pods[0], 'id -u; id -g'), '0\n0');
      assert.equal(await look(node, pods[1], 'id -u; id -g'), '1000\n2000');
      const { user } = containerStatus(pods[1], 'main');
      assert.deepEqual([user?.linux?.uid, user?.linux?.gid], [1000, 2000], 'the status shows ids of the pod');
    }));

  it('keeps its ids over a killed kubelet and over a new instance of its container', (t) =>
    withNode({}, async (node) => {
      if (!(await isAble(t, node, 'userNamespaces'))) return;
      await node.writeManifest('kept.yaml', sleeper('kept', 'kept'));
      const before = await node.waitReady('kept', 60_000);
      const hostId = await hostIdOf(node, before);
      await node.kubelet.kill9();
      await node.startAgain();
      await node.writeManifest('later.yaml', sleeper('later', 'later'));
      const adopted = await node.waitReady('kept', 60_000);
      const { containerID } = containerStatus(before, 'main');
      assert.equal(containerStatus(adopted, 'main').containerID, containerID, 'it was left alone');
      assert.equal(await hostIdOf(node, adopted), hostId);
      assert.notEqual(await hostIdOf(node, await node.waitReady('later', 60_000)), hostId);
      await look(node, adopted, 'kill -9 $(pidof sleep)');
      const restarted = await node.waitFor(
        'a new instance of the container',
        async () => {
          const pod = await node.pod('kept');
          const status = pod && containerStatus(pod, 'main');
          return status?.ready === true && status.restartCount === 1 && pod;
        },
        60_000,
      );
      assert.equal(await hostIdOf(node, restarted), hostId);
    }));

  it('gives its ids back when it is gone, and none are ids the kernel refuses', (t) =>
    withNode({ config: { userNamespaces: { idsPerPod: HUGE_IDS_PER_POD }, maxPods: 2 } }, async (node) => {
      if (!(await isAble(t, node, 'userNamespaces'))) return;
      const start = async (name: string): Promise<number> => {
        await node.writeManifest(`${name}.yaml`, sleeper(name, name));
        return hostIdOf(node, await node.waitReady(name, 60_000), HUGE_IDS_PER_POD);
      };
      const [first, second] = [await start('first'), await start('second')];
      assert.deepEqual(new Set([first, second]), new Set([HUGE_IDS_PER_POD, 2 * HUGE_IDS_PER_POD]));
      await node.removeManifest('first.yaml');
      await node.waitFor('the first pod to go', async () => (await node.pods()).length === 1, 60_000);
      assert.equal(await start('third'), first);
    }));

  it('sees its volumes with the owners they have on the host', async (t) => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
    await writeFile(join(host, 'file'), 'of the host\n', { mode: 0o640 });
    await chown(join(host, 'file'), 1234, 5678);
    try {
      await withNode({}, async (node) => {
        if (!(await isAble(t, node, 'userNamespaces'))) return;
        await node.writeManifest('map.json', {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'app' },
          data: { key: 'of the map' },
        });
        const secret = {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'login' },
          data: { key: 'c2VjcmV0' },
        };
        await node.writeManifest('login.json', secret, 0o600);
        const names = ['map', 'secret', 'info', 'disk', 'memory', 'host'];
        const script = [
          'cat /map/key /secret/key /info/name /host/file /part/file',
          'stat -L -c "%n %u %g %a" /map/key /secret/key /info/name /disk /memory /host/file /etc/hosts',
          'for d in disk memory host; do touch /$d/made; chown 42:43 /$d/made; stat -c "%n %u %g" /$d/made; done',
        ];
        await node.writeManifest(
          'reader.yaml',
          samplePod('reader', {
            restartPolicy: 'Never',
            hostUsers: false,
            securityContext: { fsGroup: 4321 },
            initContainers: [
              container('writer', ['sh', '-c', 'mkdir /disk/sub && echo of the part >/disk/sub/file'], {
                volumeMounts: [{ name: 'disk', mountPath: '/disk' }],
              }),
            ],
            containers: [
              reportingContainer('main', script.join('; '), {
                volumeMounts: [
                  ...names.map((name) => ({ name, mountPath: `/${name}` })),
                  { name: 'disk', mountPath: '/part', subPath: 'sub' },
                ],
              }),
            ],
            volumes: [
              { name: 'map', configMap: { name: 'app' } },
              { name: 'secret', secret: { secretName: 'login', defaultMode: 0o400 } },
              {
                name: 'info',
                downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
              },
              { name: 'disk', emptyDir: {} },
              { name: 'memory', emptyDir: { medium: 'Memory' } },
              { name: 'host', hostPath: { path: host, type: 'Directory' } },
            ],
          }),
        );
        const words = lastWords(await waitEnded(node, 'reader'));
        assert.deepEqual(words.split('\n'), [
          `of the mapsecret${node.podName('reader')}of the host`,
          'of the part',
          '/map/key 0 4321 644',
          '/secret/key 0 4321 440',
          '/info/name 0 4321 644',
          '/disk 0 4321 2777',
          '/memory 0 4321 3777',
          '/host/file 1234 5678 640',
          '/etc/hosts 0 0 644',
          '/disk/made 42 43',
          '/memory/made 42 43',
          '/host/made 42 43',
        ]);
        const { uid, gid } = await stat(join(host, 'made'));
        assert.deepEqual([uid, gid], [42, 43], 'what it makes there has its ids, not those of its range');
      });
    } finally {
      await rm(host, { recursive: true });
    }
  });

  it('may have /proc unmasked, and has it masked otherwise', (t) =>
    withNode({}, async (node) => {
      if (!(await isAble(t, node, 'userNamespaces'))) return;
      const setting = '/proc/sys/kernel/shm_rmid_forced';
      const script = [
        'grep -c " /proc/" /proc/mounts',
        `(echo 1 >${setting}) 2>&1 | grep -o "Read-only.*"`,
        `cat ${setting}`,
        // What such pods want it for, containers in the container: the kernel shows those nothing that is hidden here.
        'mkdir /nested; unshare -Urmpf mount -t proc none /nested 2>/dev/null && echo nested',
      ];
      const pod = (name: string, procMount: string) =>
        samplePod(name, {
          restartPolicy: 'Never',
          hostUsers: false,
          containers: [reportingContainer('main', script.join('; '), { securityContext: { procMount } })],
        });
      await node.writeManifest('open.yaml', pod('open', 'Unmasked'));
      await node.writeManifest('masked.yaml', pod('masked', 'Default'));
      assert.deepEqual(lastWords(await waitEnded(node, 'open')).split('\n'), ['0', '1', 'nested']);
      const [mounts, ...rest] = lastWords(await waitEnded(node, 'masked')).split('\n');
      assert.ok(Number(mounts) >= 5, `only ${mounts} mounts hide parts of /proc`);
      assert.deepEqual(rest, ['Read-only file system', '0']);
    }));

  it('is refused in plain words by a runtime that cannot', () =>
    withNode({ endpoint: containerdEndpoint('1.6') }, async (node) => {
      await node.writeManifest('users.yaml', sleeper('users', 'users'));
      const line = await node.waitForLine(
        'the refusal',
        ({ reason }) => reason === 'FailedCreatePodSandBox',
        30_000,
      );
      assert.match(
        String(line['message']),
        /can't set `spec.hostUsers: false`, runtime does not support user namespaces$/,
      );
    }));
});
