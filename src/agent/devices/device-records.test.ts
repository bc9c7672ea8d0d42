import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeDevicePlugin } from '../../../test/fakes/fake-device-plugins.ts';
import {
  DeviceRoom,
  devicePod,
  RESOURCE,
  sampleDevices,
  wants,
} from '../../../test/samples/sample-devices.ts';
import { AgentError } from '../../base/errors.ts';

const CHECKPOINT = '/devices/kubelet_internal_checkpoint';

describe('DeviceRecords', () => {
  it('writes nothing before the file was read, and then what changed meanwhile', async () => {
    const room = await new DeviceRoom().start();
    await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a')));
    await room.admit(devicePod('p', [wants('c', 1)]));
    await room.stop();
    const before = await room.files.readFile(CHECKPOINT);

    const next = new DeviceRoom(room.files);
    next.resources.await('y.io/other');
    await next.clock.advance(1_000);
    assert.equal(await next.files.readFile(CHECKPOINT), before);
    assert.match((await next.records.store()) ?? '', /: the device checkpoint has not been read yet$/);
    assert.equal(await next.files.readFile(CHECKPOINT), before);

    await next.start();
    await next.clock.advance(1_000);
    const { Data } = JSON.parse((await next.files.readFile(CHECKPOINT)) ?? '');
    assert.deepEqual(Object.keys(Data.RegisteredDevices), [RESOURCE, 'y.io/other']);
    assert.equal(Data.PodDeviceEntries[0].PodUID, 'p');
    await next.stop();
  });

  it('does not begin without a file that is there and cannot be read', async () => {
    const room = await new DeviceRoom().start();
    await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a')));
    await room.admit(devicePod('p', [wants('c', 1)]));
    await room.stop();
    const before = await room.files.readFile(CHECKPOINT);

    const files = room.files;
    const { readFile } = files;
    files.readFile = async () => {
      throw new AgentError('unknown', 'cannot read: EIO');
    };
    const next = new DeviceRoom(files);
    await assert.rejects(next.start(), /EIO/);
    await next.clock.advance(1_000);
    await next.records.flush();
    files.readFile = readFile;
    assert.equal(await files.readFile(CHECKPOINT), before);
  });
});
