/**
 * Device plugins on a real node: containers get what comes with their devices,
 * and neither the death of the plugin nor that of the kubelet touches a pod
 * that runs or gives a device to two pods.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import { GrpcJsDevicePlugin } from '../fakes/grpc-js-device-plugin.ts';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const RESOURCE = 'x.io/dev';

function devicePod(name: string, count: number): object {
  const resources = { limits: { [RESOURCE]: String(count) } };
  const command = ['/bin/tini', '--', 'sh', '-c', 'echo "$DEVICES"; exec sleep infinity'];
  return samplePod(name, { containers: [container('main', command, { resources })] });
}

async function serve(node: TestNode, ids: readonly string[]): Promise<GrpcJsDevicePlugin> {
  const plugin = new GrpcJsDevicePlugin(RESOURCE, join(node.kubelet.rootDir, 'device-plugins'), ids);
  await comeBack(node, plugin);
  return plugin;
}

/** Serves again and registers, as a plugin does when the kubelet's socket is new. */
async function comeBack(node: TestNode, plugin: GrpcJsDevicePlugin): Promise<void> {
  await node.waitFor(
    'the plugin to register',
    async () => {
      plugin.kill();
      await plugin.serve();
      await plugin.register();
      return true;
    },
    20_000,
  );
}

const identity = (pod: ListedPod): string => {
  const { containerID, restartCount } = containerStatus(pod, 'main');
  return `${containerID} ${restartCount}`;
};

const devicesOf = (pod: ListedPod): string[] =>
  (containerStatus(pod, 'main').allocatedResourcesStatus ?? []).flatMap(({ resources }) =>
    resources.map(({ resourceID }) => resourceID),
  );

describe('device plugins', () => {
  it('a container gets its devices, and its status shows their health', () =>
    withNode({}, async (node) => {
      await using plugin = await serve(node, ['a', 'b']);
      await node.writeManifest('one.yaml', devicePod('one', 1));
      const [id = ''] = devicesOf(await node.waitReady('one'));
      assert.deepEqual(plugin.allocations, [[id]]);
      plugin.setHealth(id, false);
      await node.waitFor(
        'the status to show the health',
        async () => {
          const pod = await node.pod('one');
          const status = pod && containerStatus(pod, 'main').allocatedResourcesStatus;
          return status?.[0]?.resources[0]?.health === 'Unhealthy';
        },
        20_000,
      );
      await node.writeManifest('two.yaml', devicePod('two', 2));
      const refused = await node.waitFor(
        'the second pod to be refused',
        async () => {
          const pod = await node.pod('two');
          return pod?.status.phase === 'Failed' ? pod.status : undefined;
        },
        20_000,
      );
      assert.equal(refused.reason, 'UnexpectedAdmissionError');
      assert.match(
        refused.message ?? '',
        /Allocate failed due to requested number of devices unavailable for x\.io\/dev\. Requested: 2, Available: 1, which is unexpected/,
      );
    }));

  it('deaths of plugin and kubelet touch no running pod and give no device twice', () =>
    withNode({ leftoversGoWithinMs: 20_000 }, async (node) => {
      await using plugin = await serve(node, ['a', 'b', 'c']);
      for (const name of ['one', 'two']) await node.writeManifest(`${name}.yaml`, devicePod(name, 1));
      const before = new Map<string, string>();
      const held = new Map<string, string[]>();
      for (const name of ['one', 'two']) {
        const pod = await node.waitReady(name);
        before.set(name, identity(pod));
        held.set(name, devicesOf(pod));
      }
      for (const round of [0, 1, 2]) {
        plugin.kill();
        await node.kubelet.kill9();
        await node.kubelet.start();
        if (round !== 1) await comeBack(node, plugin);
        for (const name of ['one', 'two']) {
          const pod = await node.waitReady(name, 30_000);
          assert.equal(identity(pod), before.get(name), `pod "${name}" was touched in round ${round}`);
          assert.deepEqual(devicesOf(pod), held.get(name));
        }
      }
      // It comes while the plugin is away, and waits for it.
      plugin.kill();
      await node.kubelet.kill9();
      await node.writeManifest('three.yaml', devicePod('three', 1));
      await node.startAgain();
      await comeBack(node, plugin);
      const third = devicesOf(await node.waitReady('three', 40_000));
      const all = [...held.values(), third].flat();
      assert.deepEqual(all.toSorted(), ['a', 'b', 'c']);
    }));
});
