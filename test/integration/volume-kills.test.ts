/**
 * kill -9 at random moments on a node with pods of every kind of volume that
 * needs no API server: what containers wrote stays, containers run on, pods
 * that come and go meanwhile do not get stuck, and no mount is left (audit).
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const KILLS = 20;
const LASTING = 10;
const PASSING = 5;
const MAX_LIFE_MS = 1_500;

const object = (kind: string, name: string, more: object): object => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});

/** A pod with a mixture of volumes; it leaves a mark in each it may write and is ready when it has done so. */
function mixedPod(name: string, index: number): object {
  const claim = `claim${index % 2}`;
  const volumes = [
    { name: 'disk', emptyDir: {} },
    { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } },
    { name: 'config', configMap: { name: 'app' } },
    { name: 'secret', secret: { secretName: 'login' } },
    {
      name: 'all',
      projected: {
        sources: [
          { configMap: { name: 'app' } },
          { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
        ],
      },
    },
    { name: 'claimed', persistentVolumeClaim: { claimName: claim } },
  ];
  const writable = ['disk', 'memory', 'claimed'];
  const marks = writable.map((volume) => `echo ${name} >/${volume}/${name}`).join(' && ');
  const script = `cat /config/key /secret/key /all/name >/dev/null && ${marks} && echo ${name} >/part/${name} && touch /ready && exec /bin/tini -- sleep infinity`;
  return samplePod(name, {
    containers: [
      container('main', ['sh', '-c', script], {
        volumeMounts: [
          ...volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
          { name: index % 2 === 0 ? 'disk' : 'memory', mountPath: '/part', subPath: 'deep/part' },
        ],
        readinessProbe: { exec: { command: ['test', '-e', '/ready'] }, periodSeconds: 1, timeoutSeconds: 10 },
      }),
    ],
    volumes,
  });
}

/** A PersistentVolume and its claim: a directory, by either way. */
function storage(index: number, path: string): string {
  const accessModes = ['ReadWriteMany'];
  const source = index === 0 ? { local: { path } } : { hostPath: { path } };
  const volume = object('PersistentVolume', `pv${index}`, { spec: { accessModes, ...source } });
  const claim = object('PersistentVolumeClaim', `claim${index}`, {
    spec: { accessModes, volumeName: `pv${index}` },
  });
  return `${JSON.stringify(volume)}\n---\n${JSON.stringify(claim)}\n`;
}

async function checkData(node: TestNode, name: string, index: number): Promise<void> {
  const pod = await node.waitReady(name, 90_000);
  assert.equal(containerStatus(pod, 'main').restartCount, 0, `${name} was restarted`);
  const volumes = join(node.kubelet.rootDir, 'pods', pod.metadata.uid, 'volumes');
  const part = index % 2 === 0 ? 'disk' : 'memory';
  for (const place of [`disk/${name}`, `memory/${name}`, `${part}/deep/part/${name}`]) {
    const text = await readFile(join(volumes, 'kubernetes.io~empty-dir', place), 'utf8');
    assert.equal(text, `${name}\n`, `${place} of ${name}`);
  }
}

describe('volumes', () => {
  it(`survive ${KILLS} times kill -9 with ${LASTING + PASSING} pods`, { timeout: 400_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubelet-host-'));
    try {
      await withNode({ leftoversGoWithinMs: 75_000 }, async (node) => {
        await node.writeManifest('app.json', object('ConfigMap', 'app', { data: { key: 'v' } }));
        await node.writeManifest(
          'login.json',
          object('Secret', 'login', { stringData: { key: 's' } }),
          0o600,
        );
        for (const index of [0, 1]) await node.writeManifest(`pv${index}.yaml`, storage(index, directory));
        const lasting = Array.from({ length: LASTING }, (_none, index) => `stay${index}`);
        for (const [index, name] of lasting.entries())
          await node.writeManifest(`${name}.yaml`, mixedPod(name, index));
        for (const name of lasting) await node.waitReady(name, 90_000);
        let last = 0;
        for (let life = 0; life < KILLS; life++) {
          const name = `pass${life}`;
          await node.writeManifest(`${name}.yaml`, mixedPod(name, life));
          if (life >= PASSING) await node.removeManifest(`pass${life - PASSING}.yaml`);
          await delay(Math.random() * MAX_LIFE_MS);
          await node.kubelet.kill9();
          await node.kubelet.start();
          last = life;
        }
        for (const [index, name] of lasting.entries()) await checkData(node, name, index);
        for (let life = last - PASSING + 1; life <= last; life++)
          await node.waitReady(`pass${life}`, 120_000);
      });
      const marks = await readdir(directory);
      for (let index = 0; index < LASTING; index++)
        assert.ok(marks.includes(`stay${index}`), 'what is in a persistent volume outlives its pods');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
