/**
 * A file system behind volumes stops answering, as under a dead file server:
 * its pods wait, all others go on, the agent ends and starts as ever, and the
 * pods go on when it answers again.
 */
import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { countThreads, countWaitingThreads, FarFileSystem } from './far-file-system.ts';
import { isReady, type TestNode, withNode } from './node.ts';
import { container, type SamplePod, samplePod, sleepingPod } from './sample-pods.ts';

const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];
/** Far more than one server may have threads, and more than there are. */
const STUCK = Array.from({ length: 24 }, (_, index) => `stuck-${index}`);

/** A pod that waited for one of them would take as long. */
const GIVEN_UP_MS = 30_000;

const configMap = (value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'app' },
  data: { key: value },
});

/** Ready while its ConfigMap says `one`. */
const updated = samplePod('updated', {
  containers: [
    container('main', SLEEP, {
      volumeMounts: [{ name: 'cfg', mountPath: '/cfg' }],
      readinessProbe: { exec: { command: ['grep', '-q', 'one', '/cfg/key'] }, periodSeconds: 1 },
    }),
  ],
  volumes: [{ name: 'cfg', configMap: { name: 'app' } }],
});

/** With a part of the file system at `path`, whose type is checked first if there is one. */
function farPod(name: string, path: string, type = ''): SamplePod {
  return samplePod(name, {
    containers: [
      container('main', SLEEP, { volumeMounts: [{ name: 'far', mountPath: '/far', subPath: 'part' }] }),
    ],
    volumes: [{ name: 'far', hostPath: { path, type } }],
  });
}

describe('a file system that does not answer', { skip: !FarFileSystem.isPossible && 'no /dev/fuse' }, () => {
  it('holds up its own pods only', async () => {
    await using far = await FarFileSystem.mount();
    await withNode({}, async (node) => {
      await node.writeManifest('app.json', configMap('one'));
      await node.writeManifest('updated.yaml', updated);
      await node.writeManifest('user.yaml', farPod('user', far.path));
      for (const name of ['updated', 'user']) await node.waitReady(name);
      try {
        far.fallSilent();
        await checkSilence(node, far);
      } finally {
        far.answer();
      }
      await checkReturn(node);
    });
  });
});

async function checkSilence(node: TestNode, far: FarFileSystem): Promise<void> {
  await writeStuck(node, far);
  const isHanging = async (): Promise<boolean> => (await countWaitingThreads(node.kubelet.pid ?? 0)) > 0;
  await node.waitFor('a call to hang', isHanging, 20_000);
  await checkOthers(node, 'two');

  const stoppedAt = Date.now();
  assert.deepEqual(await node.kubelet.stop(), { code: 0, signal: null }, 'ends although calls hang');
  assert.ok(Date.now() - stoppedAt < 10_000, `ended after ${Date.now() - stoppedAt} ms`);
  const from = node.logs.length;
  await node.startAgain();
  await node.waitFor('a call to hang again', isHanging, 20_000);
  await checkOthers(node, 'one');

  const said = await node.waitForLine(
    'which file system does not answer',
    ({ msg }) => msg === 'file system does not answer',
    45_000,
    from,
  );
  const name = `fuse "${far.source}" at "${far.path}"`;
  assert.equal(said['fileSystem'], name);
  const { status, body } = await node.kubelet.health('/healthz/storage-calls');
  assert.equal(status, 500);
  assert.ok(body.includes(`file system ${name} has not answered for `), body);
  assert.equal((await node.kubelet.health('/healthz')).status, 200, 'no reason to restart the agent');
  const threads = await countWaitingThreads(node.kubelet.pid ?? 0);
  assert.ok((await countThreads(node.kubelet.pid ?? 0)) >= 32, 'of the threads that the agent asks for');
  assert.ok(threads >= 1 && threads <= 2, `${threads} threads wait for one server`);
  await node.waitFor(
    'a pod to say what it waits for',
    () => node.logs.some(({ err, message }) => `${err} ${message}`.includes(`${name} does not answer`)),
    20_000,
  );
  // What is mounted of it can still be taken away.
  await node.removeManifest('user.yaml');
  await node.waitFor('its pod to be gone', async () => (await node.pod('user')) === undefined, 30_000);
}

/** Half of them by a link; most are looked at before the pod starts, some when the container does. */
async function writeStuck(node: TestNode, far: FarFileSystem): Promise<void> {
  const link = join(node.directory, 'link');
  await symlink(far.path, link);
  for (const [index, name] of STUCK.entries()) {
    const path = index % 2 === 0 ? far.path : link;
    await node.writeManifest(`${name}.yaml`, farPod(name, path, index < 4 ? '' : 'Directory'));
  }
}

/** Pods start and end, volumes are updated and probes run, and nothing waits until hung calls are given up. */
async function checkOthers(node: TestNode, value: 'one' | 'two'): Promise<void> {
  const name = `other-${value}`;
  const startedAt = await node.writeManifest(`${name}.yaml`, sleepingPod(name));
  await node.waitReady(name);
  const startMs = Date.now() - startedAt;
  assert.ok(startMs < GIVEN_UP_MS, `ready after ${startMs} ms beside a dead server`);
  await node.writeManifest('app.json', configMap(value));
  const isSeen = async (): Promise<boolean> => {
    const pod = await node.pod('updated');
    return pod !== undefined && isReady(pod) === (value === 'one');
  };
  await node.waitFor('the new content to be probed', isSeen, 20_000);
  await node.removeManifest(`${name}.yaml`);
  await node.waitFor('the other pod to be gone', async () => (await node.pod(name)) === undefined, 20_000);
}

async function checkReturn(node: TestNode): Promise<void> {
  await node.waitForLine('that it answers', ({ msg }) => msg === 'file system answers again', 20_000);
  for (const name of STUCK.slice(2)) await node.removeManifest(`${name}.yaml`);
  for (const name of STUCK.slice(0, 2)) await node.waitReady(name, 60_000);
  assert.equal((await node.kubelet.health('/healthz/storage-calls')).status, 200);
}
