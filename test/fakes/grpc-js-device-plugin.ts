/**
 * A device plugin served by grpc-js, for a kubelet in a process of its own:
 * registers itself, gives each device a variable, and can be killed and
 * brought back under the same name.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import {
  decodeAllocateRequest,
  encodeAllocateResponse,
  encodeDevicePluginOptions,
  encodeListAndWatchResponse,
  encodeRegisterRequest,
} from '../../src/gen/deviceplugin.ts';

const raw = (bytes: Buffer): Buffer => bytes;
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
  Allocate: define('Allocate'),
};

type Answer = (error: null, bytes: Buffer) => void;

export class GrpcJsDevicePlugin implements AsyncDisposable {
  readonly resource: string;
  readonly directory: string;
  /** Ids and whether they are healthy. */
  readonly devices: Map<string, boolean>;
  /** Every allocation, as the ids that were asked for. */
  readonly allocations: string[][] = [];
  readonly #streams = new Set<{ write(bytes: Buffer): void }>();
  #server: Server | undefined;

  constructor(resource: string, directory: string, ids: readonly string[]) {
    this.resource = resource;
    this.directory = directory;
    this.devices = new Map(ids.map((id) => [id, true]));
  }

  /** Whether a kubelet has asked for the list of devices, and has it. */
  get isWatched(): boolean {
    return this.#streams.size > 0;
  }

  get socketPath(): string {
    return join(this.directory, 'plugin.sock');
  }

  async serve(): Promise<void> {
    const server = new Server();
    server.addService(SERVICE, {
      GetDevicePluginOptions: (_call: unknown, done: Answer) =>
        done(null, Buffer.from(encodeDevicePluginOptions({}))),
      ListAndWatch: (call: { write(bytes: Buffer): void }) => {
        this.#streams.add(call);
        call.write(this.#listing());
      },
      Allocate: (call: { request: Buffer }, done: Answer) => {
        const [first] = decodeAllocateRequest(call.request).containerRequests;
        const ids = first?.devicesIds ?? [];
        this.allocations.push(ids);
        const answer = { envs: { DEVICES: ids.join(',') }, annotations: { 'x.io/ids': ids.join(',') } };
        done(null, Buffer.from(encodeAllocateResponse({ containerResponses: [answer] })));
      },
    });
    await rm(this.socketPath, { force: true });
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${this.socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    this.#server = server;
  }

  register(): Promise<void> {
    const client = new Client(`unix:${join(this.directory, 'kubelet.sock')}`, credentials.createInsecure());
    const request = { version: 'v1beta1', endpoint: 'plugin.sock', resourceName: this.resource };
    const body = Buffer.from(encodeRegisterRequest(request));
    return new Promise((resolve, reject) =>
      client.makeUnaryRequest('/v1beta1.Registration/Register', raw, raw, body, (error) => {
        client.close();
        if (error === null) resolve();
        else reject(error);
      }),
    );
  }

  setHealth(id: string, isHealthy: boolean): void {
    this.devices.set(id, isHealthy);
    for (const stream of this.#streams) stream.write(this.#listing());
  }

  /** Its connections break, as when the process is killed. */
  kill(): void {
    this.#streams.clear();
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
  }

  #listing(): Buffer {
    const devices = [...this.devices].map(([ID, isHealthy]) => ({
      ID,
      health: isHealthy ? 'Healthy' : 'Unhealthy',
    }));
    return Buffer.from(encodeListAndWatchResponse({ devices }));
  }
}
