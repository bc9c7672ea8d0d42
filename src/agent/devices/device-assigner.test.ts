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
import { idsOf } from '../../core/devices/device.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { DevicePluginOptions } from '../../ports/devices/device-plugin.ts';

const CHECKPOINT = '/devices/kubelet_internal_checkpoint';
const unexpected = (why: string): string => `Allocate failed due to ${why}, which is unexpected`;

async function serve(...ids: readonly string[]): Promise<{ room: DeviceRoom; plugin: FakeDevicePlugin }> {
  return serveWith({}, ...ids);
}

async function serveWith(
  options: Partial<DevicePluginOptions>,
  ...ids: readonly string[]
): Promise<{ room: DeviceRoom; plugin: FakeDevicePlugin }> {
  const room = await new DeviceRoom().start();
  const plugin = new FakeDevicePlugin(sampleDevices(...ids));
  plugin.options = { ...plugin.options, ...options };
  await room.host.register(RESOURCE, plugin);
  return { room, plugin };
}

const idsIn = (room: DeviceRoom, uid: string, container = 'c'): string[] =>
  room.ledger.ofContainer(toPodUid(uid), container).flatMap(idsOf);

describe('DeviceAssigner', () => {
  it('gives each pod devices of its own, and refuses one too many in the words of upstream', async () => {
    const { room, plugin } = await serve('a', 'b');
    assert.equal(await room.admit(devicePod('p1', [wants('c', 1)])), undefined);
    assert.equal(await room.admit(devicePod('p2', [wants('c', 1)])), undefined);
    const why = `requested number of devices unavailable for ${RESOURCE}. Requested: 1, Available: 0`;
    assert.equal(await room.admit(devicePod('p3', [wants('c', 1)])), unexpected(why));
    assert.deepEqual(plugin.allocations, [['a'], ['b']]);
    room.assigner.release(toPodUid('p1'));
    assert.equal(await room.admit(devicePod('p3', [wants('c', 1)])), undefined);
    assert.deepEqual(idsIn(room, 'p3'), ['a']);
    await room.stop();
  });

  it('a container takes over what an init container had, but not what a sidecar has', async () => {
    const { room } = await serve('a', 'b', 'c');
    const init = [wants('init', 1), wants('side', 1, { restartPolicy: 'Always' })];
    assert.equal(await room.admit(devicePod('p', [wants('c', 2)], init)), undefined);
    assert.deepEqual(idsIn(room, 'p', 'init'), ['a']);
    assert.deepEqual(idsIn(room, 'p', 'side'), ['a']);
    assert.deepEqual(idsIn(room, 'p'), ['b', 'c']);
    await room.stop();
  });

  it('the container gets what comes with its devices, after the plugin was called', async () => {
    const { room, plugin } = await serveWith({ preStartRequired: true }, 'a');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    const { env } = await room.assigner.readHardware(pod, wants('c', 1), new AbortController().signal);
    assert.deepEqual(env, [{ name: 'DEVICES', value: 'a' }]);
    assert.deepEqual(plugin.started, [['a']]);
    await room.stop();
  });

  it('asks the plugin what it prefers, and believes only what may be given', async () => {
    const { room, plugin } = await serveWith({ preferencesAvailable: true }, 'a', 'b', 'c');
    plugin.prefer = () => ['c'];
    await room.admit(devicePod('p1', [wants('c', 1)]));
    assert.deepEqual(idsIn(room, 'p1'), ['c']);
    await room.admit(devicePod('p2', [wants('c', 1)]));
    assert.deepEqual(idsIn(room, 'p2'), ['a']);
    assert.deepEqual(plugin.questions[1], { available: ['a', 'b'], mustInclude: [], size: 1 });
    await room.stop();
  });

  it('a change of preference in one container loses nothing of the next', async () => {
    const { room, plugin } = await serveWith({ preferencesAvailable: true }, 'a', 'b');
    plugin.prefer = () => ['b'];
    assert.equal(await room.admit(devicePod('p', [wants('c', 1), wants('d', 1)])), undefined);
    assert.deepEqual(idsIn(room, 'p', 'c'), ['b']);
    assert.deepEqual(idsIn(room, 'p', 'd'), ['a']);
    await room.stop();
  });

  it('a refusal of the plugin refuses the pod and frees its devices', async () => {
    const { room, plugin } = await serve('a');
    plugin.beforeAllocate = () =>
      Promise.reject(new AgentError('unknown', 'rpc error: code = Unknown desc = no'));
    assert.equal(
      await room.admit(devicePod('p', [wants('c', 1)])),
      unexpected('rpc error: code = Unknown desc = no'),
    );
    assert.deepEqual(room.ledger.all(), []);
    await room.stop();
  });

  it('a plugin that hangs holds up no pod of another', async () => {
    const { room, plugin } = await serve('a');
    plugin.beforeAllocate = () => new Promise(() => {});
    void room.admit(devicePod('p', [wants('c', 1)]));
    await room.host.register('y.io/other', new FakeDevicePlugin(sampleDevices('z')));
    const other = { name: 'c', image: 'i', resources: { limits: { 'y.io/other': '1' } } };
    assert.equal(await room.admit(devicePod('q', [other])), undefined);
    await room.stop();
  });

  it('is on disk before the pod is admitted; without that it is not', async () => {
    const { room } = await serve('a');
    using _full = room.files.faults.add({ errno: 'ENOSPC', under: '/devices' });
    const why = await room.admit(devicePod('p', [wants('c', 1)]));
    assert.match(why ?? '', /failed to write checkpoint file "kubelet_internal_checkpoint": /);
    assert.deepEqual(room.ledger.all(), []);
    await room.stop();
  });

  it('a restart restores which pod has which device, and a running container is never judged again', async () => {
    const { room } = await serve('a', 'b');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    const next = await new DeviceRoom(room.files, ['p/c']).start();
    assert.equal(await next.admit(pod), undefined);
    assert.deepEqual(idsIn(next, 'p'), ['a']);
    assert.deepEqual(
      next.resources.report((name) => next.ledger.taken(name).size),
      [{ name: RESOURCE, capacity: 0, allocatable: 0, assigned: 1 }],
    );
    await next.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a', 'b')));
    assert.equal(await next.admit(devicePod('q', [wants('c', 1)])), undefined);
    assert.deepEqual(idsIn(next, 'q'), ['b']);
    await next.stop();
  });

  it('a container that may run keeps its devices when the runtime does not say what runs', async () => {
    const { room } = await serve('a');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    const next = await new DeviceRoom(room.files, 'unknown').start();
    assert.equal(await next.admit(pod), undefined);
    assert.deepEqual(idsIn(next, 'p'), ['a']);
    assert.deepEqual(next.events.events, []);
    await next.stop();
  });

  it('a pod that does not run waits for its plugin, says so, and is judged when that does not come', async () => {
    const { room } = await serve('a', 'b');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    const next = await new DeviceRoom(room.files).start();
    const late = next.admit(pod);
    assert.match(
      next.events.events[0]?.message ?? '',
      /^Waiting up to 30s for the device plugin of x\.io\/dev/,
    );
    await next.clock.advance(30_000);
    const why = `no healthy devices present; cannot allocate unhealthy devices ${RESOURCE}`;
    assert.equal(await late, unexpected(why));
    await next.stop();
    const third = await new DeviceRoom(room.files).start();
    const waiting = third.admit(pod);
    await third.clock.advance(10_000);
    await third.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('b', 'a')));
    assert.equal(await waiting, undefined);
    assert.deepEqual(idsIn(third, 'p'), ['a']);
    await third.stop();
  });

  it('devices that are no longer healthy are not given again', async () => {
    const { room } = await serve('a', 'b');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    const next = await new DeviceRoom(room.files).start();
    await next.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('b')));
    const why = `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${RESOURCE}`;
    assert.equal(await next.admit(pod), unexpected(why));
    await next.stop();
  });

  it('a pod that ends and comes back under its UID is judged like any other', async () => {
    const { room } = await serve('a');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    const next = await new DeviceRoom(room.files, ['p/c']).start();
    await next.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('b')));
    assert.equal(await next.admit(pod), undefined);
    next.pods.release(toPodUid('p'));
    assert.equal(await next.admit(pod), undefined);
    assert.deepEqual(idsIn(next, 'p'), ['b']);
    await next.stop();
  });

  it('a damaged checkpoint is logged and begun without', async () => {
    const { room } = await serve('a');
    await room.admit(devicePod('p', [wants('c', 1)]));
    await room.stop();
    const text = (await room.files.readFile(CHECKPOINT)) ?? '';
    await room.files.writeFile(CHECKPOINT, text.replace('"p"', '"q"'), 0o600);
    const next = await new DeviceRoom(room.files).start();
    assert.deepEqual(next.ledger.all(), []);
    assert.ok(
      next.logger.lines.some(({ message }) => message.startsWith('device checkpoint cannot be used')),
    );
    await next.stop();
  });

  it('what runs is not judged again after the checkpoint was damaged', async () => {
    const { room } = await serve('a');
    const pod = devicePod('p', [wants('c', 1)]);
    await room.admit(pod);
    await room.stop();
    await room.files.writeFile(CHECKPOINT, '{}', 0o600);
    const next = await new DeviceRoom(room.files, ['p/c']).start();
    const plugin = new FakeDevicePlugin(sampleDevices());
    await next.host.register(RESOURCE, plugin);
    assert.equal(await next.admit(pod), undefined);
    assert.deepEqual(plugin.allocations, []);
    await next.stop();
  });

  it('resources that no plugin offers are not its business', async () => {
    const { room } = await serve('a');
    const foreign = { name: 'c', image: 'i', resources: { limits: { 'z.io/opaque': '1' } } };
    const pod = devicePod('p', [foreign]);
    assert.equal(room.assigner.concerns(pod), false);
    assert.equal(await room.admit(pod), undefined);
    await room.stop();
  });
});
