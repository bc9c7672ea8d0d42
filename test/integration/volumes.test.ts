/**
 * Volumes on real containerd: what containers see of them, what is refused,
 * and that a kubelet killed between two mounts leaves none of them behind
 * (every node ends with the audit of the harness).
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findMountsBelow, parseMountinfo } from '../../src/adapters/linux/mountinfo.ts';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod, scriptPod } from './sample-pods.ts';

const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];
const KILLS = 14;
const STEP_MS = 60;

async function mountsOf(node: TestNode): Promise<string[]> {
  const mounts = parseMountinfo(await readFile('/proc/self/mountinfo', 'utf8'));
  return findMountsBelow(mounts, join(node.kubelet.rootDir, 'pods'));
}

function failedMount(node: TestNode, pattern: RegExp): Promise<unknown> {
  return node.waitForLine(
    `an event like ${pattern}`,
    ({ reason, message }) => reason === 'FailedMount' && pattern.test(String(message)),
    20_000,
  );
}

describe('volumes', () => {
  it('emptyDir on disk and in memory is shared by two containers and goes when the pod has ended', () =>
    withNode({}, async (node) => {
      const volumeMounts = [
        { name: 'disk', mountPath: '/disk' },
        { name: 'memory', mountPath: '/memory' },
      ];
      const read =
        'until [ -e /memory/done ]; do sleep 0.1; done; cat /disk/file; stat -c %a /disk /memory; grep " /memory " /proc/mounts';
      await node.writeManifest(
        'shared.yaml',
        samplePod('shared', {
          restartPolicy: 'Never',
          containers: [
            container('writer', ['sh', '-c', 'echo hello >/disk/file; touch /memory/done'], { volumeMounts }),
            reportingContainer('main', read, { volumeMounts }),
          ],
          volumes: [
            { name: 'disk', emptyDir: {} },
            { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
            { name: 'unused', emptyDir: { medium: 'Memory' } },
          ],
        }),
      );
      const pod = await waitEnded(node, 'shared');
      const [text, diskMode, memoryMode, mount = ''] = lastWords(pod).split('\n');
      assert.deepEqual([text, diskMode, memoryMode], ['hello', '777', '1777']);
      assert.match(mount, /^tmpfs \/memory tmpfs .*size=8192k/);
      await node.waitFor('its mounts to go', async () => (await mountsOf(node)).length === 0, 30_000);
      const left = join(
        node.kubelet.rootDir,
        'pods',
        pod.metadata.uid,
        'volumes/kubernetes.io~empty-dir/disk',
      );
      const isGone = (): Promise<boolean> =>
        stat(left).then(
          () => false,
          () => true,
        );
      await node.waitFor('what it wrote to the disk to go', isGone, 30_000);
      await assert.rejects(stat(left), { code: 'ENOENT' });
    }));

  it('hostPath is checked, made or refused by its type', async () => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
    const server = createServer().listen(join(host, 'socket'));
    await mkdir(join(host, 'directory'));
    try {
      await withNode({}, async (node) => {
        const good = [
          ['directory', 'Directory'],
          ['made', 'DirectoryOrCreate'],
          ['file', 'FileOrCreate'],
          ['socket', 'Socket'],
        ] as const;
        await node.writeManifest(
          'good.yaml',
          samplePod('good', {
            restartPolicy: 'Never',
            containers: [
              reportingContainer('main', 'echo kept >/v/made/x; stat -c %F /v/*; stat -c %F /v/null', {
                volumeMounts: [...good.map(([name]) => name), 'null'].map((name) => ({
                  name,
                  mountPath: `/v/${name}`,
                })),
              }),
            ],
            volumes: [
              ...good.map(([name, type]) => ({ name, hostPath: { path: join(host, name), type } })),
              { name: 'null', hostPath: { path: '/dev/null', type: 'CharDevice' } },
            ],
          }),
        );
        const words = lastWords(await waitEnded(node, 'good')).split('\n');
        assert.deepEqual(words, [
          'directory',
          'regular empty file',
          'directory',
          'character special file',
          'socket',
          'character special file',
        ]);
        assert.equal(await readFile(join(host, 'made', 'x'), 'utf8'), 'kept\n');

        const path = join(host, 'directory');
        await node.writeManifest(
          'bad.yaml',
          samplePod('bad', {
            containers: [container('main', SLEEP, { volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
            volumes: [{ name: 'v', hostPath: { path, type: 'BlockDevice' } }],
          }),
        );
        await failedMount(
          node,
          /^MountVolume.SetUp failed for volume "v" : hostPath type check failed: .*directory is not a block device$/,
        );
        const bad = await node.pod('bad');
        assert.ok(bad);
        assert.equal(containerStatus(bad, 'main').state.waiting?.reason, 'ContainerCreating');
      });
      assert.equal(await readFile(join(host, 'made', 'x'), 'utf8'), 'kept\n', 'what is on the host stays');
    } finally {
      server.close();
      await rm(host, { recursive: true });
    }
  });

  it('a sub-path is made in the volume and a link out of the volume is refused', () =>
    withNode({}, async (node) => {
      const data = { name: 'data', emptyDir: {} };
      await node.writeManifest(
        'part.yaml',
        samplePod('part', {
          restartPolicy: 'Never',
          initContainers: [
            container('first', ['sh', '-c', 'echo one >/all/file; ln -s / /all/out; ln -s file /all/inner'], {
              volumeMounts: [{ name: 'data', mountPath: '/all' }],
            }),
          ],
          containers: [
            reportingContainer(
              'main',
              'cat /file /inner; echo two >/made/x; cat /all/named/deep/x; stat -c %a /made',
              {
                env: [{ name: 'WHO', value: 'named' }],
                volumeMounts: [
                  { name: 'data', mountPath: '/all' },
                  { name: 'data', mountPath: '/file', subPath: 'file' },
                  { name: 'data', mountPath: '/inner', subPath: 'inner' },
                  { name: 'data', mountPath: '/made', subPathExpr: '$(WHO)/deep' },
                ],
              },
            ),
          ],
          volumes: [data],
        }),
      );
      assert.deepEqual(lastWords(await waitEnded(node, 'part')).split('\n'), ['one', 'one', 'two', '777']);
      await node.writeManifest(
        'escape.yaml',
        samplePod('escape', {
          initContainers: [
            container('first', ['sh', '-c', 'ln -s / /all/out'], {
              volumeMounts: [{ name: 'data', mountPath: '/all' }],
            }),
          ],
          containers: [
            container('main', SLEEP, {
              volumeMounts: [{ name: 'data', mountPath: '/host', subPath: 'out/etc' }],
            }),
          ],
          volumes: [data],
        }),
      );
      const waiting = await node.waitFor(
        'the refusal',
        async () => {
          const pod = await node.pod('escape');
          const state = pod && containerStatus(pod, 'main').state.waiting;
          return state?.reason === 'CreateContainerConfigError' ? state : undefined;
        },
        20_000,
      );
      assert.match(
        waiting.message ?? '',
        /^failed to .* subPath .*for volumeMount "data" of container "main"$/,
      );
    }));

  it('fsGroup owns an emptyDir, on disk and in memory, and downward files', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'group.yaml',
        samplePod('group', {
          restartPolicy: 'Never',
          securityContext: { fsGroup: 4321, runAsUser: 1000, runAsGroup: 1000 },
          containers: [
            reportingContainer(
              'main',
              'stat -c "%a %g" /disk /memory; touch /disk/x; stat -c %g /disk/x; cat /info/name; stat -L -c "%a %g" /info/name; echo; cat /all/labels',
              {
                volumeMounts: ['disk', 'memory', 'info', 'all'].map((name) => ({
                  name,
                  mountPath: `/${name}`,
                })),
              },
            ),
          ],
          volumes: [
            { name: 'disk', emptyDir: {} },
            { name: 'memory', emptyDir: { medium: 'Memory' } },
            {
              name: 'info',
              downwardAPI: {
                items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }],
                defaultMode: 256,
              },
            },
            {
              name: 'all',
              projected: {
                sources: [
                  {
                    downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
                  },
                ],
              },
            },
          ],
        }),
      );
      const words = lastWords(await waitEnded(node, 'group'));
      assert.equal(words, `2777 4321\n3777 4321\n4321\n${node.podName('group')}440 4321`);
    }));

  it('mounts made by one container reach another that asks for them', () =>
    withNode({}, async (node) => {
      const data = (mountPropagation: string) => ({
        volumeMounts: [{ name: 'data', mountPath: '/data', mountPropagation }],
      });
      const wait = (path: string): string => `until [ -e ${path} ]; do sleep 0.1; done`;
      const make =
        'mkdir /data/m && mount -t tmpfs none /data/m && echo hello >/data/m/x && touch /data/made';
      await node.writeManifest(
        'propagate.yaml',
        samplePod('propagate', {
          restartPolicy: 'Never',
          containers: [
            reportingContainer(
              'maker',
              `${wait('/data/apart')}; ${make}; ${wait('/data/seen')}; ${wait('/data/missed')}; umount /data/m`,
              {
                ...data('Bidirectional'),
                securityContext: { privileged: true },
              },
            ),
            reportingContainer(
              'main',
              `${wait('/data/m/x')}; cat /data/m/x; touch /data/seen`,
              data('HostToContainer'),
            ),
            reportingContainer(
              'apart',
              `touch /data/apart; ${wait('/data/made')}; ls /data/m; touch /data/missed`,
              data('None'),
            ),
          ],
          volumes: [{ name: 'data', emptyDir: {} }],
        }),
      );
      const pod = await waitEnded(node, 'propagate');
      assert.deepEqual(
        ['maker', 'main', 'apart'].map((name) => lastWords(pod, name)),
        ['', 'hello', ''],
      );
    }));

  it('an image is shown as a volume', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'image.yaml',
        scriptPod('image', 'ls /image >/dev/termination-log', {
          restartPolicy: 'Never',
          containers: [
            reportingContainer('main', 'ls -d /image/bin; touch /image/x || echo fixed', {
              volumeMounts: [{ name: 'image', mountPath: '/image' }],
            }),
          ],
          volumes: [{ name: 'image', image: { reference: DEMO_WEB, pullPolicy: 'IfNotPresent' } }],
        }),
      );
      const words = lastWords(await waitEnded(node, 'image'));
      assert.match(words, /^\/image\/bin\n.*\nfixed$/);
    }));

  it('an image that may not be pulled keeps back only the containers that show it', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'absent.yaml',
        samplePod('absent', {
          containers: [
            container('main', SLEEP, { volumeMounts: [{ name: 'image', mountPath: '/image' }] }),
            container('other', SLEEP),
          ],
          volumes: [{ name: 'image', image: { reference: 'localhost/absent:1', pullPolicy: 'Never' } }],
        }),
      );
      const pod = await node.waitFor(
        'both states',
        async () => {
          const found = await node.pod('absent');
          const shown = found && containerStatus(found, 'main').state.waiting?.reason;
          const runs = found && containerStatus(found, 'other').state.running !== undefined;
          return shown === 'ErrImageNeverPull' && runs ? found : undefined;
        },
        30_000,
      );
      assert.match(containerStatus(pod, 'main').state.waiting?.message ?? '', /localhost\/absent:1/);
    }));

  it('kill -9 between mounts leaves none of them behind', { timeout: 180_000 }, () =>
    withNode({ leftoversGoWithinMs: 20_000 }, async (node) => {
      const names = ['memory-1', 'memory-2', 'memory-3'];
      const pod = (name: string) =>
        samplePod(name, {
          containers: [
            container('main', SLEEP, {
              volumeMounts: [
                ...names.map((volume) => ({ name: volume, mountPath: `/${volume}` })),
                ...names.map((volume) => ({ name: volume, mountPath: `/part-${volume}`, subPath: 'a/b' })),
              ],
            }),
          ],
          volumes: names.map((volume) => ({ name: volume, emptyDir: { medium: 'Memory' } })),
        });
      for (let life = 0; life < KILLS; life++) {
        await node.writeManifest(`p${life}.yaml`, pod(`p${life}`));
        if (life > 2) await node.removeManifest(`p${life - 3}.yaml`);
        await delay(life * STEP_MS);
        await node.kubelet.kill9();
        await node.kubelet.start();
      }
      await node.waitReady(`p${KILLS - 1}`, 60_000);
      assert.ok((await mountsOf(node)).length >= 6);
    }),
  );
});
