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
import { toComputeView } from './compute-view.ts';
import { PodResourceView } from './pod-resource-view.ts';

const UID = toPodUid('p');
const table = { total: 10, systemReserved: 2, allocatable: 8, reserved: 4, free: 4 };
const cpus = {
  state: { shared: new Set([0, 1]), assigned: new Map([[UID, new Map([['c', new Set([3, 2])]])]]) },
  policy: {
    topology: { cpus: new Map([0, 1, 2, 3].map((cpu) => [cpu, {}])) },
    reserved: new Set([0]),
  },
} as unknown as Parameters<typeof toComputeView>[0];
const memory = {
  state: {
    nodes: new Map([[0, { assignments: 1, cells: [0], tables: new Map([['memory', table]]) }]]),
    assigned: new Map([[UID, new Map([['c', [{ nodes: [0], type: 'memory', size: 4 }]]])]]),
  },
};

describe('PodResourceView', () => {
  it('puts together what sidecars and main containers have, and what can be given', async () => {
    const room = await new DeviceRoom().start();
    await room.host.register(RESOURCE, new FakeDevicePlugin(sampleDevices('a', 'b', 'c')));
    const init = [wants('init', 1), wants('side', 1, { restartPolicy: 'Always' })];
    const pod = devicePod('p', [wants('c', 2)], init);
    await room.admit(pod);
    const view = new PodResourceView({
      ...room,
      resources: room.resources,
      ledger: room.ledger,
      activePods: () => [pod],
      findPod: (namespace, name) => (namespace === 'default' && name === 'p' ? pod : undefined),
      claimsOf: () => [],
      compute: toComputeView(cpus, memory),
    });
    const [listed] = view.list();
    assert.deepEqual(listed, view.find('default', 'p'));
    assert.deepEqual(
      listed?.containers.map(({ name, devices }) => [name, devices.map(({ id }) => id)]),
      [
        ['side', ['a']],
        ['c', ['b', 'c']],
      ],
    );
    const [, main] = listed?.containers ?? [];
    assert.deepEqual(main?.cpus, [2, 3]);
    assert.deepEqual(main?.memory, [{ type: 'memory', bytes: 4, numaNodes: [0] }]);
    assert.equal(view.find('default', 'q'), undefined);
    const { devices, cpus: free, memory: most } = view.allocatable();
    assert.equal(devices.length, 3);
    assert.deepEqual(free, [1, 2, 3]);
    assert.deepEqual(most, [{ type: 'memory', bytes: 8, numaNodes: [0] }]);
    await room.stop();
  });
});
