import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CsiTestNode } from '../../../test/fakes/csi-test-node.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';

/** What is set up and torn down, by how pods use it. */
const KINDS: Readonly<Record<string, (node: CsiTestNode) => VolumeRequest>> = {
  'a persistent volume': (node) => node.persistent(),
  'a device': (node) => {
    node.server.isBlock = true;
    return node.persistent(undefined, (volume) => ({
      ...volume,
      spec: { ...volume.spec, volumeMode: 'Block' },
    }));
  },
  'a volume of the pod itself': (node) => {
    node.spec = { volumeLifecycleModes: ['Ephemeral'] };
    return node.inline();
  },
};

const isBlock = (request: VolumeRequest): boolean => request.persistent?.mode === 'Block';
const setUp = (node: CsiTestNode, request: VolumeRequest): Promise<unknown> =>
  isBlock(request) ? node.driver.block.map(request) : node.driver.mount(request);
const takeAway = (node: CsiTestNode, request: VolumeRequest): Promise<void> =>
  isBlock(request) ? node.driver.block.unmap(request) : node.driver.unmount(request);

/** Steps of a set-up and a removal in which the agent may be killed: the driver's and its own. */
const MOMENTS = [
  ['NodeGetCapabilities', 'before'],
  ['NodeStageVolume', 'before'],
  ['NodeStageVolume', 'after'],
  ['NodePublishVolume', 'before'],
  ['NodePublishVolume', 'after'],
  ['NodeUnpublishVolume', 'before'],
  ['NodeUnpublishVolume', 'after'],
  ['NodeUnstageVolume', 'before'],
  ['NodeUnstageVolume', 'after'],
] as const;

describe('an agent that is killed half-way', () => {
  for (const [kind, toRequest] of Object.entries(KINDS))
    for (const [method, moment] of MOMENTS)
      it(`leaves ${kind} to its successor, killed ${moment} ${method}`, async () => {
        await using node = await CsiTestNode.start();
        const request = toRequest(node);
        node.server.killAt = { method, moment };
        const life = setUp(node, request).then(() => takeAway(node, request));
        // It either completes or hangs forever.
        await Promise.race([life, node.server.killed]);
        node.server.killAt = undefined;
        node.restart();
        await takeAway(node, request);
        await takeAway(node, request);
        const left = (await node.left()).filter(
          (path) => !/volumeDevices(\/(staging|publish|kubernetes.io~csi))?$/.test(path),
        );
        assert.deepEqual(left, []);
        assert.deepEqual([...node.server.staged, ...node.server.published], []);
        assert.deepEqual([...node.mounter.mounts.keys(), ...node.attached.keys()], []);
      });
});
