import assert from 'node:assert/strict';
import { readFile, readlink } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { CsiTestNode, DRIVER } from '../../../test/fakes/csi-test-node.ts';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { GrpcCode } from '../grpc/grpc-status.ts';
import { attachmentName, blockPaths } from './csi-paths.ts';

async function start(): Promise<CsiTestNode> {
  const node = await CsiTestNode.start();
  node.server.isBlock = true;
  return node;
}

const block = (node: CsiTestNode, pod?: Pod): VolumeRequest =>
  node.persistent(pod, (volume) => ({ ...volume, spec: { ...volume.spec, volumeMode: 'Block' } }));

async function mapped(node: CsiTestNode, request: VolumeRequest): Promise<void> {
  const result = await node.driver.block.map(request);
  assert.ok(result.ok, result.ok ? '' : result.message);
  const { hostPath, readOnly } = result.value;
  assert.deepEqual([hostPath, readOnly], [request.directory, false]);
}

/** Apart from directories that all volumes share. */
async function left(node: CsiTestNode): Promise<string[]> {
  return (await node.left()).filter(
    (path) => !/volumeDevices(\/(staging|publish|kubernetes.io~csi))?$/.test(path),
  );
}

const secondPod = samplePod({}, { name: 'other', uid: '9f9f' });

describe('CsiBlockDriver', () => {
  it('stages and publishes a device, links it for the pod and holds it open', async () => {
    await using node = await start();
    const request = block(node);
    const paths = blockPaths(node.rootDir, 'pv-1', request.podUid);
    await mapped(node, request);
    assert.deepEqual(node.server.methods, ['NodeStageVolume', 'NodePublishVolume']);
    const publish = node.server.last('NodePublishVolume');
    assert.deepEqual(publish.volumeCapability?.block, {});
    assert.deepEqual([publish.stagingTargetPath, publish.targetPath], [paths.staging, paths.publish]);
    assert.equal(await readlink(request.directory), paths.publish);
    assert.deepEqual([...node.mounter.mounts.keys()], [`${paths.map}/${request.podUid}`]);
    assert.equal(node.attached.size, 1);
    assert.deepEqual(JSON.parse(await readFile(`${paths.data}/vol_data.json`, 'utf8')), {
      specVolID: 'pv-1',
      volumeHandle: 'vol-1',
      driverName: DRIVER,
      nodeName: 'node-1',
      attachmentID: attachmentName('vol-1', DRIVER, 'node-1'),
    });
  });

  it('removes it pod by pod and unstages after the last', async () => {
    await using node = await start();
    const [first, second] = [block(node), block(node, secondPod)];
    await mapped(node, first);
    await mapped(node, second);
    await node.driver.block.unmap(first);
    assert.equal(node.server.methods.at(-1), 'NodeUnpublishVolume');
    await node.driver.block.unmap(second);
    assert.equal(node.server.methods.at(-1), 'NodeUnstageVolume');
    assert.deepEqual([...node.mounter.mounts.keys(), ...node.attached.keys()], []);
    assert.deepEqual(await left(node), []);
  });

  it('removes what is left of an agent that was killed before the driver answered', async () => {
    await using node = await start();
    node.server.failures.set('NodePublishVolume', GrpcCode.UNAVAILABLE);
    const request = block(node);
    const result = await node.driver.block.map(request);
    assert.equal(!result.ok && result.stage, 'MapVolume.MapPodDevice');
    await node.restart().block.unmap(request);
    assert.equal(node.server.methods.at(-1), 'NodeUnstageVolume');
    assert.deepEqual(await left(node), []);
  });

  it('keeps the link until the driver has released the device', async () => {
    await using node = await start();
    const request = block(node);
    await mapped(node, request);
    node.server.failures.set('NodeUnstageVolume', GrpcCode.INTERNAL);
    await assert.rejects(node.driver.block.unmap(request), /Internal/);
    assert.ok(await readlink(request.directory));
    node.server.failures.clear();
    await node.driver.block.unmap(request);
    assert.deepEqual(await left(node), []);
  });

  it('reports that the driver is not registered', async () => {
    await using node = await start();
    node.drivers.delete(DRIVER);
    const result = await node.patiently(node.driver.block.map(block(node)));
    assert.match(
      !result.ok ? `${result.stage}: ${result.message}` : '',
      /^MapVolume.SetUpDevice: .*blockMapper.SetUpDevice failed to get CSI client: driver name drv.test not found/,
    );
    assert.deepEqual(await left(node), []);
  });
});
