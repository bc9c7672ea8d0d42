/**
 * A node without API server whose manifest directory holds ConfigMaps,
 * Secrets, PersistentVolumes and claims beside the pods that use them, on
 * real containerd.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const run = promisify(execFile);
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];
const PODS = 50;
const CHANGES = 4;

const configMap = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'app' },
  data: { key: value },
});
const secret = (value: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'login' },
  stringData: { key: value },
});

/** A PersistentVolume and the claim that names it, with mode 0644: nothing in them is secret. */
function storage(name: string, spec: Readonly<Record<string, unknown>>): string {
  const volumeMode = spec['volumeMode'] ?? 'Filesystem';
  const accessModes = ['ReadWriteOnce'];
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${name}` },
    spec: { accessModes, capacity: { storage: '64Mi' }, ...spec },
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes, volumeMode, volumeName: `pv-${name}` },
  };
  return `${JSON.stringify(volume)}\n---\n${JSON.stringify(claim)}\n`;
}

const claimed = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });

describe('objects in the manifest directory', () => {
  it('reach variables and volumes; a Secret is kept in memory and never taken from an open file', () =>
    withNode({}, async (node) => {
      await node.writeManifest('app.json', configMap('one'));
      await node.writeManifest('login.json', secret('hunter'));
      await node.waitForLine('why the Secret is refused', ({ err }) => /chmod 600/.test(String(err)), 20_000);
      await node.writeManifest('login.json', secret('hunter'), 0o600);
      const mounts = ['cfg', 'sec', 'all'].map((name) => ({ name, mountPath: `/${name}` }));
      const sources = [
        { configMap: { name: 'app' } },
        { secret: { name: 'login', items: [{ key: 'key', path: 'deep/key' }] } },
      ];
      const script =
        'echo "$FROM_MAP $FROM_SECRET"; cat /cfg/key /sec/key /all/key /all/deep/key; echo; grep -c " /sec tmpfs " /proc/mounts; stat -L -c %a /sec/key; touch /cfg/x || echo fixed';
      await node.writeManifest(
        'reader.yaml',
        samplePod('reader', {
          restartPolicy: 'Never',
          containers: [
            reportingContainer('main', script, {
              volumeMounts: mounts,
              env: [
                { name: 'FROM_MAP', valueFrom: { configMapKeyRef: { name: 'app', key: 'key' } } },
                { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'login', key: 'key' } } },
              ],
            }),
          ],
          volumes: [
            { name: 'cfg', configMap: { name: 'app' } },
            { name: 'sec', secret: { secretName: 'login', defaultMode: 0o400 } },
            { name: 'all', projected: { sources } },
          ],
        }),
      );
      const words = lastWords(await waitEnded(node, 'reader')).split('\n');
      assert.deepEqual(words.slice(0, 4), ['one hunter', 'onehunteronehunter', '1', '400']);
      assert.equal(words.at(-1), 'fixed');
      const log = await readFile(node.kubelet.logFile, 'utf8');
      assert.ok(!log.includes('hunter'), 'the log holds no secrets');
    }));

  it('claims lead to directories and disks that outlive pods, and to devices', async () => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
    const loops: string[] = [];
    let rootDir = '';
    const disk = async (name: string): Promise<string> => {
      const file = join(host, name);
      await writeFile(file, '');
      await truncate(file, 64 * 2 ** 20);
      const { stdout } = await run('losetup', ['-f', '--show', file]);
      loops.push(stdout.trim());
      return stdout.trim();
    };
    try {
      await writeFile(join(host, 'there'), 'there\n');
      const [plain, raw] = [await disk('plain'), await disk('raw')];
      await withNode({}, async (node) => {
        ({ rootDir } = node.kubelet);
        await node.writeManifest('dir.yaml', storage('dir', { local: { path: host } }));
        await node.writeManifest(
          'host.yaml',
          storage('host', { hostPath: { path: host, type: 'Directory' } }),
        );
        await node.writeManifest('plain.yaml', storage('plain', { local: { path: plain } }));
        await node.writeManifest('raw.yaml', storage('raw', { local: { path: raw }, volumeMode: 'Block' }));
        const names = ['dir', 'host', 'plain'];
        const pod = (script: string) =>
          samplePod('user', {
            restartPolicy: 'Never',
            securityContext: { fsGroup: 4321 },
            containers: [
              reportingContainer('main', script, {
                volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
                volumeDevices: [{ name: 'raw', devicePath: '/dev/raw' }],
              }),
            ],
            volumes: [...names, 'raw'].map(claimed),
          });
        const write =
          'cat /dir/there /host/there; echo kept >/plain/x; echo device | dd of=/dev/raw 2>/dev/null; sync; stat -c %g /plain; grep " /plain " /proc/mounts | cut -d" " -f3';
        await node.writeManifest('user.yaml', pod(write));
        const first = lastWords(await waitEnded(node, 'user'));
        assert.deepEqual(first.split('\n'), ['there', 'there', '4321', 'ext4']);
        await node.removeManifest('user.yaml');
        await node.waitFor('the pod to go', async () => (await node.pods()).length === 0, 40_000);
        await node.writeManifest('user.yaml', pod('cat /plain/x; head -c 7 /dev/raw'));
        assert.equal(lastWords(await waitEnded(node, 'user')), 'kept\ndevice');
      });
      assert.equal(await readFile(join(host, 'there'), 'utf8'), 'there\n');
      const mounts = await readFile('/proc/self/mountinfo', 'utf8');
      for (const loop of loops) assert.ok(!mounts.includes(loop), `${loop} is still mounted`);
      const { stdout } = await run('losetup', ['-a']);
      // Other kubelets of the host may hold theirs.
      assert.ok(!stdout.includes(rootDir), `a device is still held: ${stdout}`);
    } finally {
      for (const loop of loops) await run('losetup', ['-d', loop]);
      await rm(host, { recursive: true });
    }
  });

  it(`a change reaches ${PODS} pods within a second`, () =>
    withNode({}, async (node) => {
      await node.writeManifest('app.json', configMap('0'));
      await node.writeManifest('login.json', secret('0'), 0o600);
      const names = Array.from({ length: PODS }, (_none, index) => `p${index}`);
      for (const name of names)
        await node.writeManifest(
          `${name}.yaml`,
          samplePod(name, {
            containers: [
              container('main', SLEEP, {
                volumeMounts: ['cfg', 'sec'].map((volume) => ({ name: volume, mountPath: `/${volume}` })),
              }),
            ],
            volumes: [
              { name: 'cfg', configMap: { name: 'app' } },
              { name: 'sec', secret: { secretName: 'login' } },
            ],
          }),
        );
      for (const name of names) await node.waitReady(name, 120_000);
      const places = (await node.pods()).flatMap(({ metadata }) => {
        const volumes = join(node.kubelet.rootDir, 'pods', metadata.uid, 'volumes');
        return [`${volumes}/kubernetes.io~configmap/cfg/key`, `${volumes}/kubernetes.io~secret/sec/key`];
      });
      const delaysMs: number[] = [];
      for (let change = 1; change <= CHANGES; change++) {
        const text = String(change);
        await node.writeManifest('login.json', secret(text), 0o600);
        const startedAtMs = await node.writeManifest('app.json', configMap(text));
        await node.waitFor(
          'the change everywhere',
          async () =>
            (await Promise.all(places.map((place) => readFile(place, 'utf8')))).every((is) => is === text),
          30_000,
        );
        // The link that shows a version is made when the version is.
        for (const place of places)
          delaysMs.push((await lstat(join(dirname(place), '..data'))).mtimeMs - startedAtMs);
      }
      const worst = delaysMs.sort((a, b) => a - b)[Math.floor(delaysMs.length * 0.99)] ?? 0;
      process.stdout.write(`  p99 of ${delaysMs.length} changes: ${Math.round(worst)} ms\n`);
      assert.ok(worst <= 1_000, `p99 is ${worst} ms`);
    }));
});
