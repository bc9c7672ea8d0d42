/**
 * Device plugins with grpc-js on the other side: a plugin that it serves
 * registers with its client at our server, and our client talks to it.
 */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Client, credentials, Server, ServerCredentials, type ServiceError } from '@grpc/grpc-js';
import { LinuxDevicePluginHost } from '../../src/adapters/devices/device-plugin-host.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import type { Device } from '../../src/core/devices/device.ts';
import {
  decodeAllocateRequest,
  decodePreferredAllocationRequest,
  encodeAllocateResponse,
  encodeDevicePluginOptions,
  encodeListAndWatchResponse,
  encodePreferredAllocationResponse,
  encodePreStartContainerResponse,
  encodeRegisterRequest,
} from '../../src/gen/deviceplugin.ts';
import type { DeviceRegistration } from '../../src/ports/devices/device-plugin.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';

const raw = (bytes: Buffer): Buffer => bytes;
const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
const define = (name: string, responseStream = false) => ({
  path: `/v1beta1.DevicePlugin/${name}`,
  requestStream: false,
  responseStream,
  requestSerialize: raw,
  requestDeserialize: raw,
  responseSerialize: raw,
  responseDeserialize: raw,
});

const SERVICE = {
  GetDevicePluginOptions: define('GetDevicePluginOptions'),
  ListAndWatch: define('ListAndWatch', true),
  GetPreferredAllocation: define('GetPreferredAllocation'),
  Allocate: define('Allocate'),
  PreStartContainer: define('PreStartContainer'),
};

class Setup implements AsyncDisposable {
  readonly directory: string;
  readonly registrations: DeviceRegistration[] = [];
  readonly host: LinuxDevicePluginHost;
  readonly #stop = new AbortController();
  readonly #server = new Server();
  #listening: Promise<void> | undefined;

  private constructor(directory: string) {
    this.directory = directory;
    const parts = { clock: new SystemClock(), logger: new RecordingLogger(), random: Math.random };
    this.host = new LinuxDevicePluginHost({ directory: join(directory, 'device-plugins'), ...parts });
  }

  static async create(): Promise<Setup> {
    const setup = new Setup(await mkdtemp(join(tmpdir(), 'devices-')));
    setup.#listening = setup.host.listen(async (registration) => {
      if (registration.resource === 'bad') throw new Error('the ResourceName "bad" is invalid');
      setup.registrations.push(registration);
    }, setup.#stop.signal);
    for (;;)
      if (
        (await readdir(join(setup.directory, 'device-plugins')).catch((): string[] => [])).includes(
          'kubelet.sock',
        )
      )
        break;
    return setup;
  }

  path(name: string): string {
    return join(this.directory, 'device-plugins', name);
  }

  async servePlugin(): Promise<void> {
    this.#server.addService(SERVICE, {
      GetDevicePluginOptions: (_call: unknown, done: (e: null, b: Buffer) => void) =>
        done(null, buffer(encodeDevicePluginOptions({ preStartRequired: true }))),
      ListAndWatch: (call: { write(b: Buffer): void }) => {
        const devices = [
          { ID: 'a', health: 'Healthy', topology: { nodes: [{ ID: 1 }] } },
          { ID: 'b', health: 'Unhealthy' },
        ];
        call.write(buffer(encodeListAndWatchResponse({ devices })));
      },
      GetPreferredAllocation: (call: { request: Buffer }, done: (e: null, b: Buffer) => void) => {
        const [first] = decodePreferredAllocationRequest(call.request).containerRequests;
        const deviceIDs = first?.availableDeviceIDs.toReversed() ?? [];
        done(null, buffer(encodePreferredAllocationResponse({ containerResponses: [{ deviceIDs }] })));
      },
      Allocate: (call: { request: Buffer }, done: (e: null, b: Buffer) => void) => {
        const [first] = decodeAllocateRequest(call.request).containerRequests;
        const answer = {
          envs: { IDS: first?.devicesIds.join(',') ?? '' },
          cdiDevices: [{ name: 'x.io/d=1' }],
          devices: [{ hostPath: '/dev/null', containerPath: '/dev/x', permissions: 'rw' }],
        };
        done(null, buffer(encodeAllocateResponse({ containerResponses: [answer] })));
      },
      PreStartContainer: (_call: unknown, done: (e: object | null, b?: Buffer) => void) =>
        done({ code: 13, details: 'not ready' }, buffer(encodePreStartContainerResponse({}))),
    });
    await new Promise<void>((resolve, reject) =>
      this.#server.bindAsync(
        `unix:${this.path('plugin.sock')}`,
        ServerCredentials.createInsecure(),
        (error) => (error === null ? resolve() : reject(error)),
      ),
    );
  }

  register(
    request: Parameters<typeof encodeRegisterRequest>[0],
    path = '/v1beta1.Registration/Register',
  ): Promise<Buffer> {
    const client = new Client(`unix:${this.path('kubelet.sock')}`, credentials.createInsecure());
    return new Promise<Buffer>((resolve, reject) =>
      client.makeUnaryRequest(path, raw, raw, buffer(encodeRegisterRequest(request)), (error, answer) => {
        client.close();
        if (error === null) resolve(answer ?? Buffer.alloc(0));
        else reject(error);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    this.#stop.abort();
    await this.#listening;
    await rm(this.directory, { recursive: true, force: true });
  }
}

const says =
  (code: number, details: RegExp) =>
  (error: ServiceError): boolean => {
    assert.equal(error.code, code, error.details);
    assert.match(error.details, details);
    return true;
  };

describe('device plugins of grpc-js', () => {
  it('register at a socket that only the agent can reach', async () => {
    await using setup = await Setup.create();
    const request = { version: 'v1beta1', endpoint: 'plugin.sock', resourceName: 'x.io/d' };
    assert.equal((await setup.register(request)).length, 0);
    assert.deepEqual(setup.registrations, [
      { version: 'v1beta1', endpoint: 'plugin.sock', resource: 'x.io/d' },
    ]);
    assert.equal((await stat(setup.path('kubelet.sock'))).mode & 0o777, 0o600);
  });

  it('are refused with a reason, and others are served on', async () => {
    await using setup = await Setup.create();
    const bad = { version: 'v1beta1', endpoint: 'x', resourceName: 'bad' };
    await assert.rejects(setup.register(bad), says(2, /^the ResourceName "bad" is invalid$/));
    await assert.rejects(setup.register({ ...bad, endpoint: '../x' }), says(3, /invalid endpoint/));
    await assert.rejects(setup.register({}, '/v1beta1.Registration/Other'), says(12, /unknown method/));
    await assert.rejects(setup.register({ endpoint: 'x'.repeat(100_000) }), says(8, /larger than max/));
    await setup.register({ version: 'v1beta1', endpoint: 'p', resourceName: 'x.io/d' });
    assert.equal(setup.registrations.length, 1);
  });

  it('are called over their own socket', async () => {
    await using setup = await Setup.create();
    await setup.servePlugin();
    const plugin = await setup.host.connect('plugin.sock');
    const { signal } = new AbortController();
    assert.deepEqual(await plugin.readOptions(signal), {
      preStartRequired: true,
      preferencesAvailable: false,
    });
    const seen = Promise.withResolvers<readonly Device[]>();
    const watch = plugin.watch(seen.resolve, signal);
    assert.deepEqual(await seen.promise, [
      { id: 'a', isHealthy: true, numaNodes: [1] },
      { id: 'b', isHealthy: false, numaNodes: [] },
    ]);
    assert.deepEqual(await plugin.readPreference({ available: ['a', 'b'], mustInclude: [], size: 1 }), [
      'b',
      'a',
    ]);
    const { grant, encoded } = await plugin.allocate(['a', 'b']);
    assert.deepEqual(grant.env, [{ name: 'IDS', value: 'a,b' }]);
    assert.deepEqual(grant.cdiDevices, ['x.io/d=1']);
    assert.deepEqual(setup.host.decodeResponse(encoded)?.grant, grant);
    await assert.rejects(plugin.preStart(['a']), /^AgentError: rpc error: code = Internal desc = not ready$/);
    const ended = assert.rejects(watch);
    await plugin.close();
    await ended;
  });

  it('are only connected to at sockets, never through links or outside names', async () => {
    await using setup = await Setup.create();
    await setup.servePlugin();
    await symlink(setup.path('plugin.sock'), setup.path('link.sock'));
    await writeFile(setup.path('file'), '');
    for (const endpoint of ['', '..', 'a/b', 'gone', 'link.sock', 'file', '/x/../y', 'a\0b', 'x'.repeat(200)])
      await assert.rejects(setup.host.connect(endpoint), JSON.stringify(endpoint));
  });

  it('a new start removes sockets of before and keeps other files', async () => {
    await using setup = await Setup.create();
    await setup.servePlugin();
    await writeFile(setup.path('kubelet_internal_checkpoint'), '{}');
    const stop = new AbortController();
    const next = setup.host.listen(async () => {}, stop.signal);
    while ((await readdir(setup.path('.'))).includes('plugin.sock'));
    stop.abort();
    await next;
    assert.deepEqual(await readdir(setup.path('.')), ['kubelet_internal_checkpoint']);
  });
});
