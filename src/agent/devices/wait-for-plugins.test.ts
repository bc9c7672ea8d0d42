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
import type { Pod } from '../../core/api/pod.ts';

/** The agent starts again; `running` are the containers that run, the plugin is not there yet. */
async function restartWith(pod: Pod, running: readonly string[] = []): Promise<DeviceRoom> {
  const room = await new DeviceRoom().start();
  await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a', 'b')));
  assert.equal(await room.admit(pod), undefined);
  await room.stop();
  return new DeviceRoom(room.files, running).start();
}

describe('waitForPlugins', () => {
  it('has an end, also when a plugin registers and goes again and again', async () => {
    const pod = devicePod('p', [wants('c', 1)]);
    const room = await restartWith(pod);
    const start = room.clock.now();
    let endedAfterMs: number | undefined;
    void room.admit(pod).then(() => {
      endedAfterMs = room.clock.now() - start;
    });
    for (let round = 0; round < 10; round++) {
      await room.clock.advance(10_000);
      const plugin = new FakeDevicePlugin();
      plugin.watch = () => Promise.reject(new AgentError('unavailable', 'connection lost'));
      await room.host.register(RESOURCE, plugin);
      await room.clock.settle();
    }
    assert.equal(endedAfterMs, 60_000);
    await room.stop();
  });

  it('a running pod does not wait because of an init container that asks for nothing', async () => {
    const pod = devicePod('p', [wants('c', 1)], [{ name: 'init', image: 'i' }]);
    const room = await restartWith(pod, ['p/c']);
    assert.equal(room.assigner.whenReady(pod), undefined);
    await room.stop();
  });

  it('a container that does not run waits although another of the pod runs', async () => {
    const pod = devicePod('p', [wants('c', 1), wants('d', 1)]);
    const room = await restartWith(pod, ['p/c']);
    assert.ok(room.assigner.whenReady(pod) !== undefined);
    await room.stop();
  });
});
