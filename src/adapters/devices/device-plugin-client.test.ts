import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeGrpcServer } from '../../../test/fakes/fake-grpc-server.ts';
import type { Device } from '../../core/devices/device.ts';
import { encodeListAndWatchResponse } from '../../gen/deviceplugin.ts';
import { DevicePluginClient } from './device-plugin-client.ts';

type Listing = Parameters<typeof encodeListAndWatchResponse>[0];

/** What the agent gets of one list, after which the plugin ends the stream. */
async function list(listing: Listing): Promise<readonly Device[]> {
  await using server = await FakeGrpcServer.start((call) => {
    call.send(encodeListAndWatchResponse(listing));
    call.end(0);
  });
  const client = new DevicePluginClient(server.socketPath, new FakeClock(), () => 0);
  let seen: readonly Device[] = [];
  try {
    await client.watch((devices) => {
      seen = devices;
    }, new AbortController().signal);
  } finally {
    await client.close();
  }
  return seen;
}

describe('DevicePluginClient', () => {
  it('leaves out memory nodes that no machine has', async () => {
    const nodes = [0, 1, 1, 30, 31, 4294967295, -1].map((ID) => ({ ID }));
    const devices = await list({ devices: [{ ID: 'a', health: 'Healthy', topology: { nodes } }] });
    assert.deepEqual(devices, [{ id: 'a', isHealthy: true, numaNodes: [0, 1, 30] }]);
  });

  it('a list of too many devices, or with an id that is too long, ends the stream', async () => {
    const many = Array.from({ length: 100_001 }, (_, at) => ({ ID: String(at) }));
    assert.equal((await list({ devices: many.slice(1) })).length, 100_000);
    await assert.rejects(list({ devices: many }), {
      message: /the plugin lists 100001 devices, the limit is 100000$/,
    });
    assert.equal((await list({ devices: [{ ID: 'x'.repeat(256) }] })).length, 1);
    await assert.rejects(list({ devices: [{ ID: 'ä'.repeat(129) }] }), {
      message: /the plugin lists a device id of 258 bytes, the limit is 256$/,
    });
  });
});
