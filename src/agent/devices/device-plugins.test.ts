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
import { toPodUid } from '../../core/model/ids.ts';

const report = (room: DeviceRoom) =>
  room.resources.report(() => 0).map(({ capacity, allocatable }) => [capacity, allocatable]);

describe('DevicePlugins', () => {
  it('healthy devices can be given, all count as capacity', async () => {
    const room = await new DeviceRoom().start();
    const plugin = new FakeDevicePlugin(sampleDevices('a', 'b'));
    await room.host.register(RESOURCE, plugin);
    assert.deepEqual(report(room), [[2, 2]]);
    plugin.list([{ id: 'a', isHealthy: false, numaNodes: [] }, ...sampleDevices('b', 'c')]);
    assert.deepEqual(report(room), [[3, 2]]);
    await room.stop();
  });

  it('a plugin that is gone leaves its devices unhealthy, and after five minutes none', async () => {
    const room = await new DeviceRoom().start();
    const plugin = new FakeDevicePlugin(sampleDevices('a', 'b'));
    await room.host.register(RESOURCE, plugin);
    plugin.die();
    await room.clock.settle();
    assert.deepEqual(report(room), [[2, 0]]);
    await room.clock.advance(299_000);
    assert.deepEqual(report(room), [[2, 0]]);
    await room.clock.advance(1_000);
    assert.deepEqual(report(room), [[0, 0]]);
    await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a')));
    assert.deepEqual(report(room), [[1, 1]]);
    await room.stop();
    assert.equal(room.clock.pendingTimers, 0);
  });

  it('the plugin that registered last speaks for the resource', async () => {
    const room = await new DeviceRoom().start();
    const old = new FakeDevicePlugin(sampleDevices('a'));
    await room.host.register(RESOURCE, old);
    await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a', 'b')));
    await room.clock.settle();
    old.list([]);
    assert.deepEqual(report(room), [[2, 2]]);
    await room.stop();
  });

  it('the end of an old socket does not end the plugin that has taken over at another', async () => {
    const room = await new DeviceRoom().start();
    const announce = (endpoint: string) => ({ name: RESOURCE, endpoint, supportedVersions: ['v1beta1'] });
    for (const endpoint of ['/old', '/new']) {
      room.host.plugins.set(endpoint, new FakeDevicePlugin(sampleDevices('a')));
      await room.plugins.register(announce(endpoint));
    }
    await room.plugins.deregister(announce('/old'));
    await room.clock.settle();
    assert.deepEqual(report(room), [[1, 1]]);
    await room.plugins.deregister(announce('/new'));
    await room.clock.settle();
    assert.deepEqual(report(room), [[1, 0]]);
    await room.stop();
  });

  it('refuses other versions and names in the words of upstream', async () => {
    const room = await new DeviceRoom().start();
    const plugin = new FakeDevicePlugin();
    await assert.rejects(room.host.register(RESOURCE, plugin, 'v1alpha'), {
      message: 'requested API version "v1alpha" is not supported by kubelet. Supported version is "v1beta1"',
    });
    await assert.rejects(room.host.register('cpu', plugin), {
      message: 'the ResourceName "cpu" is invalid',
    });
    plugin.readOptions = () => Promise.reject(new Error('no'));
    await assert.rejects(room.host.register(RESOURCE, plugin), {
      message: 'failed to get device plugin options: no',
    });
    assert.deepEqual(report(room), []);
    const named = (name: string, ...supportedVersions: string[]) =>
      room.plugins.validate({ name, endpoint: '/x', supportedVersions });
    assert.equal(
      named(RESOURCE, 'v1', 'v2'),
      'manager version, v1beta1, is not among plugin supported versions [v1 v2]',
    );
    assert.equal(
      named('cpu', 'v1beta1'),
      'invalid name of device plugin socket: the ResourceName "cpu" is invalid',
    );
    assert.equal(named(RESOURCE, 'v1beta1'), undefined);
    await room.stop();
  });
});

describe('DeviceHealth', () => {
  it('reports a pod when the health of one of its devices changes, and only then', async () => {
    const room = await new DeviceRoom().start();
    const plugin = new FakeDevicePlugin(sampleDevices('a', 'b'));
    await room.host.register(RESOURCE, plugin);
    const woken: string[] = [];
    room.health.subscribe((uid) => woken.push(uid));
    await room.admit(devicePod('p', [wants('c', 1)]));
    const healthOf = () => room.health.of(toPodUid('p')).get('c');
    assert.deepEqual(healthOf(), [{ name: RESOURCE, resources: [{ resourceID: 'a', health: 'Healthy' }] }]);
    plugin.list([...sampleDevices('a'), { id: 'b', isHealthy: false, numaNodes: [] }]);
    assert.deepEqual(woken, []);
    plugin.list([{ id: 'a', isHealthy: false, numaNodes: [] }]);
    assert.deepEqual(woken, ['p']);
    assert.equal(healthOf()?.[0]?.resources[0]?.health, 'Unhealthy');
    plugin.list([]);
    assert.equal(healthOf()?.[0]?.resources[0]?.health, 'Unknown');
    await room.stop();
  });
});
