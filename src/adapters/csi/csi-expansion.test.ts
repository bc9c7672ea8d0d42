import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CsiTestNode, sampleClaim } from '../../../test/fakes/csi-test-node.ts';
import type { PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import { renderMountEvent } from '../../core/volume/volume-source.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../ports/cluster/api-resource.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { GrpcCode } from '../grpc/grpc-status.ts';

const EXPAND = 3;

async function start(status: PersistentVolumeClaim['status'] = {}) {
  const node = await CsiTestNode.start();
  node.server.capabilities = [1, EXPAND];
  node.api.put(PERSISTENT_VOLUME_CLAIMS, {
    ...sampleClaim(),
    status: { ...sampleClaim().status, ...status },
  });
  return node;
}

/** The volume as it is after the reconciler has read the claim again. */
function request(node: CsiTestNode, storage: string, over: Partial<VolumeRequest> = {}): VolumeRequest {
  const made = node.persistent(undefined, (volume) => ({
    ...volume,
    spec: { ...volume.spec, capacity: { storage } },
  }));
  const claim = node.api.peek<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, 'data', 'market');
  assert.ok(made.persistent && claim);
  return { ...made, persistent: { ...made.persistent, claim }, ...over };
}

const statusOf = (node: CsiTestNode) =>
  node.api.peek<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, 'data', 'market')?.status;

const recorded = {
  allocatedResources: { storage: '2Gi' },
  allocatedResourceStatuses: { storage: 'NodeResizePending' },
};

describe('CsiVolumeDriver, growing volumes', () => {
  it('expands a volume at set-up when it is larger than the claim records', async () => {
    await using node = await start();
    const recorded: string[] = [];
    const wanted = request(node, '2Gi', {
      inform: (reason, message) => void recorded.push(`pod ${reason}: ${message}`),
      informClaim: (type, reason, message) => void recorded.push(`claim ${type} ${reason}: ${message}`),
    });
    assert.equal((await node.driver.mount(wanted)).ok, true);
    const expand = node.server.last('NodeExpandVolume');
    assert.equal(expand.capacityRange?.requiredBytes, 2 * 2 ** 30);
    assert.equal(expand.volumePath, `${wanted.directory}/mount`);
    assert.match(expand.stagingTargetPath, /globalmount$/);
    assert.equal(statusOf(node)?.capacity?.['storage'], '2Gi');
    const text =
      'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pv-1" node-1';
    assert.deepEqual(recorded, [`pod ${text}`, `claim Normal ${text}`]);
  });

  it('checks again while the volume is in use, and expands it there', async () => {
    await using node = await start();
    const mounted = await node.driver.mount(request(node, '1Gi'));
    assert.equal(mounted.ok && mounted.value.refreshAtMs, node.clock.now() + 60_000);
    assert.equal(node.server.methods.includes('NodeExpandVolume'), false);
    await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(statusOf(node)?.capacity?.['storage'], '2Gi');
    assert.deepEqual(node.server.methods, ['NodeStageVolume', 'NodePublishVolume', 'NodeExpandVolume']);
  });

  it('keeps a volume in use when its expansion fails, and reports the failure', async () => {
    await using node = await start(recorded);
    await node.driver.mount(request(node, '1Gi'));
    node.server.failures.set('NodeExpandVolume', GrpcCode.OUT_OF_RANGE);
    const again = await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(again.ok, true);
    assert.match(
      node.warnings[0] ?? '',
      /^VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "pv-1" : Expander.NodeExpand failed to expand the volume rpc error: code = OutOfRange/,
    );
    assert.equal(statusOf(node)?.allocatedResourceStatuses?.['storage'], 'NodeResizeInfeasible');
    assert.equal(statusOf(node)?.capacity?.['storage'], '1Gi');
  });

  it('fails the set-up when the expansion fails', async () => {
    await using node = await start();
    node.server.failures.set('NodeExpandVolume', GrpcCode.INTERNAL);
    const outcome = await node.driver.mount(request(node, '2Gi'));
    assert.ok(!outcome.ok && outcome.stage !== undefined);
    assert.deepEqual(renderMountEvent('pv-1', outcome.stage, outcome.message), {
      reason: 'FailedMount',
      message:
        'MountVolume.Setup failed while expanding volume for volume "pv-1" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = no NodeExpandVolume',
    });
  });

  it('warns pod and claim when a volume to expand is mounted read-only', async () => {
    await using node = await start();
    const wanted = request(node, '2Gi');
    assert.ok(wanted.persistent);
    const claimEvents: string[] = [];
    const readOnly = {
      ...wanted,
      persistent: { ...wanted.persistent, readOnly: true },
      informClaim: (type: string, reason: string) => void claimEvents.push(`${type} ${reason}`),
    };
    assert.equal((await node.driver.mount(readOnly)).ok, true);
    assert.deepEqual(node.warnings, [
      'FileSystemResizeFailed: MountVolume.NodeExpandVolume failed for volume "pv-1" requested read-only file system',
    ]);
    assert.deepEqual(claimEvents, ['Warning FileSystemResizeFailed']);
    assert.equal(node.server.methods.includes('NodeExpandVolume'), false);
  });

  it('expands a volume that another node has expanded, once, and leaves the claim alone', async () => {
    await using node = await start();
    await node.driver.mount(request(node, '1Gi'));
    node.api.put(PERSISTENT_VOLUME_CLAIMS, { ...sampleClaim(), status: { capacity: { storage: '2Gi' } } });
    for (let times = 0; times < 2; times++)
      await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(node.server.methods.filter((method) => method === 'NodeExpandVolume').length, 1);
    assert.deepEqual(node.api.callsTo({ verb: 'patch', plural: 'persistentvolumeclaims' }), []);
  });

  it('gives up a size that the driver refuses again after the claim requested another', async () => {
    await using node = await start(recorded);
    const claim = node.api.peek<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, 'data', 'market');
    assert.ok(claim);
    node.api.put(PERSISTENT_VOLUME_CLAIMS, {
      ...claim,
      spec: { ...claim.spec, resources: { requests: { storage: '3Gi' } } },
    });
    await node.driver.mount(request(node, '1Gi'));
    node.server.failures.set('NodeExpandVolume', GrpcCode.INTERNAL);
    const step = () => statusOf(node)?.allocatedResourceStatuses?.['storage'];
    await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(step(), 'NodeResizeInProgress');
    await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(step(), 'NodeResizeInfeasible');
  });

  it('goes through the steps of a claim that records them', async () => {
    await using node = await start(recorded);
    await node.driver.mount(request(node, '2Gi'));
    const writes = node.api
      .callsTo({ verb: 'patch', plural: 'persistentvolumeclaims' })
      .map(({ body }) => body);
    assert.equal(writes.length, 2);
    assert.match(JSON.stringify(writes[0]), /NodeResizeInProgress/);
    assert.deepEqual(
      [statusOf(node)?.capacity?.['storage'], statusOf(node)?.allocatedResourceStatuses?.['storage']],
      ['2Gi', undefined],
    );
  });

  it('does not retry a driver that cannot expand a volume in use', async () => {
    await using node = await start();
    node.server.failures.set('NodeExpandVolume', GrpcCode.FAILED_PRECONDITION);
    assert.equal((await node.driver.mount(request(node, '2Gi'))).ok, true);
    await node.driver.mount(request(node, '2Gi', { isRemount: true }));
    assert.equal(node.server.methods.filter((method) => method === 'NodeExpandVolume').length, 1);
  });

  it('does not call a driver that cannot expand volumes', async () => {
    await using node = await start();
    node.server.capabilities = [1];
    const mounted = await node.driver.mount(request(node, '2Gi'));
    assert.equal(mounted.ok && mounted.value.refreshAtMs, undefined);
    assert.equal(node.server.methods.includes('NodeExpandVolume'), false);
  });

  it('expands a device at its publish path', async () => {
    await using node = await start();
    node.server.isBlock = true;
    const block = (storage: string, isRemount: boolean): VolumeRequest => {
      const made = request(node, storage);
      assert.ok(made.persistent);
      const spec = { ...made.persistent.volume.spec, volumeMode: 'Block' as const };
      const asBlock = node.persistent(undefined, (volume) => ({ ...volume, spec }));
      assert.ok(asBlock.persistent);
      return { ...asBlock, persistent: { ...asBlock.persistent, claim: made.persistent.claim }, isRemount };
    };
    const mapped = await node.driver.block.map(block('1Gi', false));
    assert.equal(mapped.ok && mapped.value.refreshAtMs, node.clock.now() + 60_000);
    await node.driver.block.map(block('2Gi', true));
    const { volumePath, volumeCapability } = node.server.last('NodeExpandVolume');
    assert.match(volumePath, /volumeDevices\/publish\/pv-1\//);
    assert.deepEqual(volumeCapability?.block, {});
    assert.equal(statusOf(node)?.capacity?.['storage'], '2Gi');
  });
});
