import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CsiTestNode, DRIVER } from '../../../test/fakes/csi-test-node.ts';
import { NO_USAGE } from '../../core/volume/volume-usage.ts';
import type { VolumeGauge } from '../../ports/storage/volume-driver.ts';

const STAGE = 1;
const STATS = 2;
const CONDITION = 4;
const { signal } = new AbortController();
const BYTES = { unit: 1, available: 1, total: 3, used: 2 };
const USAGE = { ...NO_USAGE, availableBytes: 1, capacityBytes: 3, usedBytes: 2 };

async function gaugeOf(node: CsiTestNode): Promise<VolumeGauge> {
  const outcome = await node.driver.mount(node.persistent());
  assert.ok(outcome.ok && outcome.value.gauge !== undefined);
  return outcome.value.gauge;
}

describe('createCsiGauge', () => {
  it('asks the driver about the path the pod uses', async () => {
    await using node = await CsiTestNode.start();
    node.server.capabilities = [STAGE, STATS];
    node.server.stats = { usage: [BYTES], volumeCondition: { abnormal: true, message: 'm' } };
    const gauge = await gaugeOf(node);
    assert.equal(gauge.source, DRIVER);
    assert.deepEqual(await gauge.read(signal), { usage: USAGE }, 'its condition is not requested');
    const { volumeId, volumePath } = node.server.last('NodeGetVolumeStats');
    assert.deepEqual([volumeId, volumePath], ['vol-1', `${node.persistent().directory}/mount`]);
  });

  it('asks about the file that stands for a device', async () => {
    await using node = await CsiTestNode.start();
    node.server.capabilities = [STAGE, STATS];
    node.server.isBlock = true;
    node.server.stats = { usage: [BYTES] };
    const request = node.persistent(undefined, (volume) => ({
      ...volume,
      spec: { ...volume.spec, volumeMode: 'Block' },
    }));
    const recorded: string[] = [];
    const outcome = await node.driver.block.map({
      ...request,
      inform: (reason, message) => void recorded.push(`${reason}: ${message.replaceAll(node.rootDir, '')}`),
    });
    assert.ok(outcome.ok);
    await outcome.value.gauge?.read(signal);
    const map = `${node.rootDir}/plugins/kubernetes.io/csi/volumeDevices/pv-1/dev`;
    assert.equal(node.server.last('NodeGetVolumeStats').volumePath, `${map}/${request.podUid}`);
    const succeeded = 'SuccessfulMountVolume: MapVolume.MapPodDevice succeeded for volume "pv-1"';
    assert.deepEqual(recorded, [
      `${succeeded} globalMapPath "/plugins/kubernetes.io/csi/volumeDevices/pv-1/dev"`,
      `${succeeded} volumeMapPath "/pods/${request.podUid}/volumeDevices/kubernetes.io~csi"`,
    ]);
  });

  it('reads the condition where that is enabled and the driver reports it', async () => {
    await using node = await CsiTestNode.start();
    node.restart({ watchesHealth: true });
    node.server.capabilities = [STAGE, STATS, CONDITION];
    node.server.stats = { volumeCondition: { abnormal: true, message: 'bad disk' } };
    const gauge = await gaugeOf(node);
    const condition = { abnormal: true, message: 'bad disk' };
    assert.deepEqual(await gauge.read(signal), { usage: NO_USAGE, condition });
    node.server.stats = { usage: [BYTES] };
    assert.deepEqual(await gauge.read(signal), { usage: USAGE, condition: { abnormal: false, message: '' } });
    node.server.capabilities = [STAGE, STATS];
    assert.deepEqual(await gauge.read(signal), { usage: USAGE });
  });

  it('has no reading from a driver without statistics, and rejects when one returns nothing or is gone', async () => {
    await using node = await CsiTestNode.start();
    const gauge = await gaugeOf(node);
    assert.equal(await gauge.read(signal), undefined);
    assert.equal(node.server.methods.includes('NodeGetVolumeStats'), false);
    node.server.capabilities = [STAGE, STATS];
    await assert.rejects(gauge.read(signal), /failed to get usage from response. usage is nil/);
    node.drivers.delete(DRIVER);
    await assert.rejects(gauge.read(signal), /not found in the list of registered CSI drivers/);
  });
});
