/** Runtime calls that never answer hold up their own pod only, and are named in the log and the health output. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GrpcProxy } from './grpc-proxy.ts';
import { containerdEndpoint, type TestNode, withNode } from './node.ts';
import { sleepingPod } from './sample-pods.ts';
import { expectPrompt, measureUsualPod, toLimitMs } from './usual-pod.ts';

/** More than may start at a time, so that they would block all pods if each kept its place. */
const STUCK = Array.from({ length: availableParallelism() * 2 + 2 }, (_, i) => `stuck-${i}`);

describe('hung runtime calls', () => {
  it('many pods that hang in one call delay no other pod and are named', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'grpc-proxy-'));
    const listenPath = join(directory, 'proxy.sock');
    const runtimeEndpoint = containerdEndpoint();
    const proxy = await GrpcProxy.listen({
      listenPath,
      targetPath: runtimeEndpoint.replace('unix://', ''),
      isHung: (path, request) => path.endsWith('/RunPodSandbox') && request.includes('stuck-'),
    });
    try {
      await withNode({ endpoint: `unix://${listenPath}`, runtimeEndpoint }, (node) =>
        checkOthers(node, proxy),
      );
    } finally {
      await proxy.close();
      await rm(directory, { recursive: true, force: true });
    }
  });
});

async function checkOthers(node: TestNode, proxy: GrpcProxy): Promise<void> {
  const usual = await measureUsualPod(node);
  await node.writeManifest('stuck-first.yaml', sleepingPod('stuck-first'));
  await node.waitFor('the first call to hang', () => proxy.hung.length === 1, 20_000);
  await expectPrompt('a pod beside a hung one is ready', toLimitMs(3_000, usual.startMs), async (attempt) => {
    const soonAt = await node.writeManifest(`soon-${attempt}.yaml`, sleepingPod(`soon-${attempt}`));
    await node.waitReady(`soon-${attempt}`);
    return Date.now() - soonAt;
  });

  for (const name of STUCK) await node.writeManifest(`${name}.yaml`, sleepingPod(name));
  await node.waitFor('more calls to hang', () => proxy.hung.length > 2, 20_000);
  await expectPrompt('a pod beside hung ones ends', toLimitMs(2_000, usual.endMs), async (attempt) => {
    const name = `late-${attempt}`;
    await node.writeManifest(`${name}.yaml`, sleepingPod(name));
    await node.waitReady(name, 30_000);
    const removedAt = await node.removeManifest(`${name}.yaml`);
    const gone = await node.waitForLine(
      'that the pod is gone',
      ({ msg, pod }) => msg === 'pod gone' && String(pod).startsWith(node.podName(name)),
      20_000,
    );
    return gone.ts - removedAt;
  });
  await node.waitFor('every call to hang', () => proxy.hung.length >= STUCK.length, 60_000);

  for (const name of [...STUCK, 'stuck-first']) {
    const pod = `default/${node.podName(name)}`;
    const line = await node.waitForLine(
      `that ${name} hangs`,
      (l) => l.msg === 'runtime call hangs' && l['pod'] === pod,
      30_000,
    );
    assert.equal(line['call'], 'run_podsandbox');
    const { status, body } = await node.kubelet.health('/healthz/runtime-calls');
    assert.equal(status, 500);
    assert.match(body, new RegExp(`run_podsandbox for ${pod} `));
  }
  assert.equal(
    (await node.kubelet.health('/healthz')).status,
    200,
    'hung calls are no reason to restart the agent',
  );

  // Ending a pod interrupts its hung call.
  for (const name of [...STUCK, 'stuck-first']) await node.removeManifest(`${name}.yaml`);
  const isStuck = ({ metadata }: { metadata: { name: string } }): boolean =>
    metadata.name.startsWith('stuck-');
  await node.waitFor('the stuck pods to be gone', async () => !(await node.pods()).some(isStuck), 30_000);
  await node.waitFor(
    'the health output to be good again',
    async () => (await node.kubelet.health('/healthz/runtime-calls')).status === 200,
    30_000,
  );
}
