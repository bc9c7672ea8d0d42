/**
 * A plugin for tests: serves the registration protocol on a socket in a
 * directory of its own, which stands for the registry. Keeps the statuses it was sent.
 */
import { dirname } from 'node:path';
import {
  decodeRegistrationStatus,
  encodePluginInfo,
  encodeRegistrationStatusResponse,
  type PluginInfo,
  type RegistrationStatus,
} from '../../src/gen/pluginregistration.ts';
import { FakeGrpcServer, type ServedCall } from './fake-grpc-server.ts';

export class FakePlugin implements AsyncDisposable {
  readonly #server: FakeGrpcServer;
  /** What the kubelet said about the registration, oldest first. */
  readonly statuses: RegistrationStatus[] = [];
  #hear: () => void = () => {};

  private constructor(server: FakeGrpcServer) {
    this.#server = server;
  }

  /** Does not listen yet. */
  static async create(info: Partial<PluginInfo> = {}): Promise<FakePlugin> {
    const server: FakeGrpcServer = await FakeGrpcServer.create((call) => plugin.#answer(call, info));
    const plugin = new FakePlugin(server);
    return plugin;
  }

  get directory(): string {
    return dirname(this.#server.socketPath);
  }

  get socketPath(): string {
    return this.#server.socketPath;
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  /** Goes away with its socket. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  /** Resolves when the kubelet has said `count` things in all. */
  async hear(count: number): Promise<readonly RegistrationStatus[]> {
    while (this.statuses.length < count)
      await new Promise<void>((resolve) => {
        this.#hear = resolve;
      });
    return this.statuses;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  #answer(call: ServedCall, info: Partial<PluginInfo>): void {
    if (call.path === '/pluginregistration.Registration/GetInfo')
      call.send(
        encodePluginInfo({ type: 'CSIPlugin', name: 'drv.test', supportedVersions: ['1.0.0'], ...info }),
      );
    else {
      call.send(encodeRegistrationStatusResponse({}));
      this.statuses.push(decodeRegistrationStatus(call.body));
    }
    call.end(0);
    this.#hear();
  }
}
