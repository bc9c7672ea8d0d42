/**
 * Volumes that others bring onto the node, on real containerd: by an
 * executable of the administrator, or as a disk that only has to be found
 * (a loop device under the name that a Fibre Channel disk would have).
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const run = promisify(execFile);
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

/** Mounts memory with one file in it, and notes every call. */
const DRIVER = `#!/bin/sh
echo "$1" >>"$(dirname "$0")/calls"
case "$1" in
  init) echo '{"status":"Success","capabilities":{"attach":false}}' ;;
  mount)
    mount -t tmpfs -o size=1m flex "$2" && printf '%s' "$3" >"$2/options"
    echo '{"status":"Success"}' ;;
  unmount)
    umount "$2"
    echo '{"status":"Success"}' ;;
  *) echo '{"status":"Not supported"}'; exit 1 ;;
esac
`;

describe('volumes of others', () => {
  it('an executable of the node mounts and unmounts a flexVolume, also after a kill', async () => {
    const plugins = await mkdtemp(join(tmpdir(), 'kubelet-flex-'));
    const folder = join(plugins, 'example.com~memory');
    await mkdir(folder);
    await writeFile(join(folder, 'memory'), DRIVER);
    await chmod(join(folder, 'memory'), 0o755);
    try {
      await withNode({ config: { volumePluginDir: plugins }, leftoversGoWithinMs: 20_000 }, async (node) => {
        const volumes = (driver: string) => [
          { name: 'v', flexVolume: { driver, options: { colour: 'red' } } },
        ];
        const volumeMounts = [{ name: 'v', mountPath: '/v' }];
        await node.writeManifest(
          'reader.yaml',
          samplePod('reader', {
            restartPolicy: 'Never',
            securityContext: { fsGroup: 4321 },
            containers: [reportingContainer('main', 'cat /v/options; echo; stat -c %g /v', { volumeMounts })],
            volumes: volumes('example.com/memory'),
          }),
        );
        const [options = '', group] = lastWords(await waitEnded(node, 'reader')).split('\n');
        const passed = JSON.parse(options) as Record<string, string>;
        assert.deepEqual(
          [passed['colour'], passed['kubernetes.io/pod.name']],
          ['red', node.podName('reader')],
        );
        assert.equal(group, '4321');
        await node.writeManifest(
          'sleeper.yaml',
          samplePod('sleeper', {
            containers: [container('main', SLEEP, { volumeMounts })],
            volumes: volumes('example.com/memory'),
          }),
        );
        await node.waitReady('sleeper', 60_000);
        await node.kubelet.kill9();
        await node.removeManifest('sleeper.yaml');
        await node.kubelet.start();
        await node.writeManifest(
          'lost.yaml',
          samplePod('lost', {
            containers: [container('main', SLEEP, { volumeMounts })],
            volumes: volumes('example.com/none'),
          }),
        );
        await node.waitForLine(
          'why there is no such driver',
          ({ reason, message }) =>
            reason === 'FailedMount' && /no volume plugin matched$/.test(String(message)),
          30_000,
        );
      });
      const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n');
      const count = (command: string): number => calls.filter((call) => call === command).length;
      assert.equal(count('unmount'), count('mount'));
      assert.equal(count('mount'), 2);
    } finally {
      await rm(plugins, { recursive: true });
    }
  });

  it('a disk found by its id is formatted, mounted once for two pods and let go of; another is a device', async () => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
    const ids = ['a', 'b'].map((name) => `kubeletts${randomBytes(4).toString('hex')}${name}`);
    const links = ids.map((id) => `/dev/disk/by-id/scsi-${id}`);
    const loops: string[] = [];
    await mkdir('/dev/disk/by-id', { recursive: true });
    try {
      for (const link of links) {
        const file = join(host, `disk${loops.length}`);
        await writeFile(file, '');
        await truncate(file, 64 * 2 ** 20);
        const { stdout } = await run('losetup', ['-f', '--show', file]);
        loops.push(stdout.trim());
        await symlink(stdout.trim(), link);
      }
      await withNode({}, async (node) => {
        const disk = (id: string | undefined) => ({ fc: { wwids: [id] } });
        const spec = (script: string) => ({
          restartPolicy: 'Never',
          containers: [
            reportingContainer('main', script, { volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
          ],
          volumes: [{ name: 'v', ...disk(ids[0]) }],
        });
        const wait = (file: string): string => `until [ -e ${file} ]; do sleep 0.1; done`;
        await node.writeManifest('one.yaml', samplePod('one', spec(`echo hello >/v/x; ${wait('/v/y')}`)));
        await node.writeManifest('two.yaml', samplePod('two', spec(`${wait('/v/x')}; cat /v/x; touch /v/y`)));
        assert.equal(lastWords(await waitEnded(node, 'two')), 'hello');
        await waitEnded(node, 'one');
        const places = join(node.kubelet.rootDir, 'plugins/kubernetes.io/fc');
        await node.waitFor(
          'the disk to be let go of',
          async () => (await readdir(places)).length === 0,
          30_000,
        );
        await node.writeManifest(
          'pv.yaml',
          [
            {
              apiVersion: 'v1',
              kind: 'PersistentVolume',
              metadata: { name: 'raw' },
              spec: {
                accessModes: ['ReadWriteOnce'],
                capacity: { storage: '64Mi' },
                volumeMode: 'Block',
                ...disk(ids[1]),
              },
            },
            {
              apiVersion: 'v1',
              kind: 'PersistentVolumeClaim',
              metadata: { name: 'raw' },
              spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Block', volumeName: 'raw' },
            },
          ]
            .map((object) => JSON.stringify(object))
            .join('\n---\n'),
        );
        await node.writeManifest(
          'device.yaml',
          samplePod('device', {
            restartPolicy: 'Never',
            containers: [
              reportingContainer(
                'main',
                'echo block | dd of=/dev/raw 2>/dev/null; sync; head -c 5 /dev/raw',
                {
                  volumeDevices: [{ name: 'raw', devicePath: '/dev/raw' }],
                },
              ),
            ],
            volumes: [{ name: 'raw', persistentVolumeClaim: { claimName: 'raw' } }],
          }),
        );
        assert.equal(lastWords(await waitEnded(node, 'device')), 'block');
      });
      const mounts = await readFile('/proc/self/mountinfo', 'utf8');
      for (const loop of loops) assert.ok(!mounts.includes(loop), `${loop} is still mounted`);
    } finally {
      for (const link of links) await rm(link, { force: true });
      for (const loop of loops) await run('losetup', ['-d', loop]);
      await rm(host, { recursive: true });
    }
  });

  it('storage drivers find their directories from the start, closed to others', () =>
    withNode({}, async (node) => {
      for (const name of ['pods', 'plugins', 'plugins_registry'])
        assert.equal((await stat(join(node.kubelet.rootDir, name))).mode & 0o777, 0o750, name);
    }));
});
