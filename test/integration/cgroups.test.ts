/**
 * Limits in the kernel's own files: those of a pod while it runs, the weight
 * of its tier as pods come and go, and cgroups that an agent left behind.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sharesToWeight } from '../../src/core/resources/cpu-units.ts';
import { cgroupDirectory, IS_UNIFIED } from './cgroup-paths.ts';
import { type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

/** A pod whose one container asks for `requests` and has `limits`. */
function podWith(name: string, resources: object): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  return samplePod(name, { containers: [container('main', command, { resources })] });
}

async function readControl(node: TestNode, path: string, v1: string, v2: string): Promise<string> {
  const [controller = ''] = v1.split('.');
  return (await readFile(join(cgroupDirectory(node, controller, path), IS_UNIFIED ? v2 : v1), 'utf8')).trim();
}

const readShares = (node: TestNode, path: string): Promise<string> =>
  readControl(node, path, 'cpu.shares', 'cpu.weight');
const toShares = (shares: number): string => String(IS_UNIFIED ? sharesToWeight(shares) : shares);

describe('cgroups', () => {
  it('hold the limits of a pod, and the tier weighs what its pods ask for, also after a restart', () =>
    withNode({ config: { podPidsLimit: 77 } }, async (node) => {
      const resources = { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '64Mi' } };
      await node.writeManifest('a.json', podWith('a', resources));
      await node.writeManifest('b.json', podWith('b', { requests: { cpu: '150m' } }));
      const { metadata } = await node.waitReady('a');
      await node.waitReady('b');
      const pod = `burstable/pod${metadata.uid}`;
      assert.equal(await readShares(node, pod), toShares(102));
      assert.equal(await readControl(node, pod, 'memory.limit_in_bytes', 'memory.max'), String(64 * 2 ** 20));
      const quota = await readControl(node, pod, 'cpu.cfs_quota_us', 'cpu.max');
      assert.equal(quota, IS_UNIFIED ? '20000 100000' : '20000');
      assert.equal(await readControl(node, pod, 'pids.max', 'pids.max'), '77');
      assert.equal(await readShares(node, 'burstable'), toShares(256));
      await node.restart();
      assert.equal(await readShares(node, 'burstable'), toShares(256));
      await node.removeManifest('b.json');
      await node.waitFor(
        'the weight to fall',
        async () => (await readShares(node, 'burstable')) === toShares(102),
        30_000,
      );
    }));

  it('of unknown pods are removed with the processes left in them', () =>
    withNode({}, async (node) => {
      const orphan = 'burstable/pod00000000-0000-4000-8000-0000000000ff';
      const controllers = IS_UNIFIED ? [''] : ['memory', 'pids'];
      // One that runs may find them before there is a process in them.
      await node.kubelet.stop();
      for (const controller of controllers)
        await mkdir(join(cgroupDirectory(node, controller, orphan), 'left'), { recursive: true });
      const child = spawn('sleep', ['1000']);
      const ended = once(child, 'exit');
      const place = join(cgroupDirectory(node, 'pids', orphan), 'left');
      await writeFile(join(place, 'cgroup.procs'), `${child.pid}`);
      await node.startAgain();
      assert.deepEqual(await ended, [null, 'SIGKILL']);
      for (const controller of controllers)
        await node.waitFor(
          `the ${controller} cgroup to go`,
          () => !existsSync(cgroupDirectory(node, controller, orphan)),
          30_000,
        );
    }));
});
