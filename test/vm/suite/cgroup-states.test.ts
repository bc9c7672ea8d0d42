/** States that only cgroups of version 2 have: frozen, threaded, killed as a whole, at their most processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ListedPod } from '../../../scripts/demo/kubelet-process.ts';
import { cgroupDirectory, containerCgroup, IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { containerStatus, isReady, type TestNode, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

const MOST_PROCESSES = 60;
/** Several periods of the probe. */
const FROZEN_MS = 10_000;
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];
const PROBED = container('main', SLEEP, {
  readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 10 },
});

const podDirectory = (node: TestNode, { metadata }: ListedPod): string =>
  cgroupDirectory(node, '', `besteffort/pod${metadata.uid}`);

function containerDirectory(node: TestNode, pod: ListedPod): string {
  const id = (containerStatus(pod, 'main').containerID ?? '').replace('containerd://', '');
  return join(podDirectory(node, pod), containerCgroup(id));
}

const read = async (directory: string, name: string): Promise<string> =>
  (await readFile(join(directory, name), 'utf8')).trim();

/** What a container holds by its name and instance: neither changes where nothing was started again. */
const instanceOf = (pod: ListedPod): string =>
  `${containerStatus(pod, 'main').containerID} ${containerStatus(pod, 'main').restartCount}`;

function waitFor(node: TestNode, what: string, fits: (pod: ListedPod) => boolean): Promise<ListedPod> {
  const look = async (): Promise<ListedPod | undefined> => {
    const pod = await node.pod('one');
    return pod !== undefined && fits(pod) ? pod : undefined;
  };
  return node.waitFor(what, look, 60_000);
}

async function startPod(node: TestNode, main: object): Promise<ListedPod> {
  await node.writeManifest('one.json', samplePod('one', { containers: [main] }));
  return node.waitReady('one');
}

describe('cgroups of version 2', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('that are frozen are left alone, are measured, go on when they are thawed, and end while they are frozen', () =>
    withNode({}, async (node) => {
      const before = await startPod(node, PROBED);
      const directory = containerDirectory(node, before);
      await writeFile(join(directory, 'cgroup.freeze'), '1');
      await node.waitFor(
        'the container to be frozen',
        async () => /^frozen 1$/m.test(await read(directory, 'cgroup.events')),
        60_000,
      );
      // Probes that cannot be made say nothing about the container.
      await delay(FROZEN_MS);
      const response = await fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}/stats/summary`);
      assert.match(await response.text(), new RegExp(before.metadata.uid));
      await writeFile(join(directory, 'cgroup.freeze'), '0');
      assert.equal(instanceOf(await node.waitReady('one')), instanceOf(before));
      // The audit that ends the test removes the pod.
      await writeFile(join(directory, 'cgroup.freeze'), '1');
    }));

  it('that hold more processes than they may start no more, and nothing else ends', () =>
    withNode({ config: { podPidsLimit: MOST_PROCESSES } }, async (node) => {
      const fork = `i=0; while [ $i -lt ${2 * MOST_PROCESSES} ]; do sleep 1000 & i=$((i + 1)); done`;
      const pod = await startPod(
        node,
        container('main', ['sh', '-c', `(${fork}) 2>/dev/null; exec sleep 1000`]),
      );
      const directory = podDirectory(node, pod);
      await node.waitFor(
        'the limit to be met',
        async () => /^max [1-9]/m.test(await read(directory, 'pids.events')),
        60_000,
      );
      assert.ok(Number(await read(directory, 'pids.current')) <= MOST_PROCESSES);
      assert.equal(instanceOf(await node.waitReady('one')), instanceOf(pod));
    }));

  it('that are killed with their sandbox are those of a new sandbox soon', () =>
    withNode({}, async (node) => {
      const before = await startPod(node, container('main', SLEEP));
      await writeFile(join(podDirectory(node, before), 'cgroup.kill'), '1');
      const after = await waitFor(
        node,
        'the next instance',
        (pod) => containerStatus(pod, 'main').restartCount >= 1 && isReady(pod),
      );
      assert.equal(after.metadata.uid, before.metadata.uid);
      assert.match(await read(podDirectory(node, after), 'cgroup.events'), /^populated 1$/m);
    }));

  it('that were left behind are removed, also where threads or nothing may live in them', () =>
    withNode({}, async (node) => {
      const orphan = cgroupDirectory(node, '', 'burstable/pod00000000-0000-4000-8000-0000000000fe');
      // One that runs may find them before there is a process in them.
      await node.kubelet.stop();
      const domain = join(orphan, 'left');
      const [threaded, invalid] = [join(domain, 'threaded'), join(domain, 'invalid')];
      await mkdir(threaded, { recursive: true });
      await mkdir(invalid);
      const child = spawn('sleep', ['1000']);
      const ended = once(child, 'exit');
      await writeFile(join(domain, 'cgroup.procs'), `${child.pid}`);
      await writeFile(join(threaded, 'cgroup.type'), 'threaded');
      await writeFile(join(threaded, 'cgroup.threads'), `${child.pid}`);
      assert.deepEqual(
        [await read(domain, 'cgroup.type'), await read(invalid, 'cgroup.type')],
        ['domain threaded', 'domain invalid'],
      );
      await node.startAgain();
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      await node.waitFor('the cgroup to go', () => !existsSync(orphan), 30_000);
    }));
});
