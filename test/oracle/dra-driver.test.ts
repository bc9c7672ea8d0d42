/** Our client of drivers of dynamic resources, with a driver that grpc-js serves and protobufjs speaks for. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { DraClients } from '../../src/adapters/devices/dra-client.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import type { DraService } from '../../src/ports/devices/dra-driver.ts';

/** As upstream has it: maps with messages as values. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Claim { string namespace = 1; string uid = 2; string name = 3; }
  message Request { repeated Claim claims = 1; }
  message Device {
    repeated string request_names = 1; string pool_name = 2; string device_name = 3;
    repeated string cdi_device_ids = 4; optional string share_id = 5;
  }
  message Prepared { repeated Device devices = 1; string error = 2; }
  message PrepareResponse { map<string, Prepared> claims = 1; }
  message Unprepared { string error = 1; }
  message UnprepareResponse { map<string, Unprepared> claims = 1; }
`);

type Call = { request: { claims: { uid: string }[] } };
type Done = (error: null, answer: object) => void;

function define(service: DraService, name: string, answer: string) {
  const request = root.lookupType('Request');
  const response = root.lookupType(answer);
  const version = service === 'v1.DRAPlugin' ? 'v1' : 'v1beta1';
  return {
    path: `/k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: (message: object) => Buffer.from(request.encode(message).finish()),
    requestDeserialize: (bytes: Buffer) => request.decode(bytes),
    responseSerialize: (message: object) => Buffer.from(response.encode(message).finish()),
    responseDeserialize: (bytes: Buffer) => response.decode(bytes),
  };
}

describe('a driver of dynamic resources', () => {
  for (const service of ['v1.DRAPlugin', 'v1beta1.DRAPlugin'] as const)
    it(`is called over ${service}`, async () => {
      const directory = await mkdtemp(join(tmpdir(), 'dra-'));
      const path = join(directory, 'dra.sock');
      const server = new Server();
      server.addService(
        {
          prepare: define(service, 'NodePrepareResources', 'PrepareResponse'),
          unprepare: define(service, 'NodeUnprepareResources', 'UnprepareResponse'),
        },
        {
          prepare: ({ request }: Call, done: Done) => {
            const devices = [
              {
                requestNames: ['r'],
                poolName: 'p',
                deviceName: 'd',
                cdiDeviceIds: ['x.io/d=1'],
                shareId: 's',
              },
            ];
            const [first, second] = request.claims;
            const claims = { [first?.uid ?? '']: { devices }, [second?.uid ?? '']: { error: 'broken' } };
            done(null, { claims });
          },
          unprepare: ({ request }: Call, done: Done) =>
            done(null, { claims: Object.fromEntries(request.claims.map(({ uid }) => [uid, {}])) }),
        },
      );
      await new Promise<void>((resolve, reject) =>
        server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
          error === null ? resolve() : reject(error),
        ),
      );
      const calls: string[] = [];
      const meter = (driver: string, method: string, code: string): void =>
        void calls.push(`${driver} ${method.split('/').at(-1)} ${code}`);
      const driver = new DraClients(new SystemClock(), meter).connect('x.io', path, service, () => {});
      const claims = ['a', 'b'].map((name) => ({ namespace: 'ns', uid: `uid-${name}`, name }));
      try {
        const prepared = await driver.prepare(claims);
        assert.deepEqual(prepared.get('uid-a'), {
          devices: [{ requestNames: ['r'], pool: 'p', device: 'd', cdiIds: ['x.io/d=1'], shareId: 's' }],
          error: '',
        });
        assert.deepEqual(prepared.get('uid-b'), { devices: [], error: 'broken' });
        assert.deepEqual(
          [...(await driver.unprepare(claims))],
          [
            ['uid-a', ''],
            ['uid-b', ''],
          ],
        );
      } finally {
        server.forceShutdown();
      }
      await assert.rejects(driver.prepare(claims), /rpc error: code = Unavailable/);
      assert.deepEqual(calls, [
        'x.io NodePrepareResources OK',
        'x.io NodeUnprepareResources OK',
        'x.io NodePrepareResources Unavailable',
      ]);
      await driver.close();
      await rm(directory, { recursive: true, force: true });
    });
});
