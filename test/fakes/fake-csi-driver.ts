/**
 * A storage driver for tests: the node service on a real socket, with
 * directories where a real one would mount. Keeps every request, and fails or
 * hangs on request.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import {
  decodeNodeExpandVolumeRequest,
  decodeNodeGetVolumeStatsRequest,
  decodeNodePublishVolumeRequest,
  decodeNodeStageVolumeRequest,
  decodeNodeUnpublishVolumeRequest,
  decodeNodeUnstageVolumeRequest,
  encodeNodeExpandVolumeResponse,
  encodeNodeGetCapabilitiesResponse,
  encodeNodeGetInfoResponse,
  encodeNodeGetVolumeStatsResponse,
  encodeNodePublishVolumeResponse,
  type NodeGetInfoResponse,
  type NodeGetVolumeStatsResponse,
} from '../../src/gen/csi.ts';
import type { Init } from '../../src/gen/wire.ts';
import { FakeGrpcServer, type ServedCall } from './fake-grpc-server.ts';

const DECODERS = {
  NodeStageVolume: decodeNodeStageVolumeRequest,
  NodeUnstageVolume: decodeNodeUnstageVolumeRequest,
  NodePublishVolume: decodeNodePublishVolumeRequest,
  NodeUnpublishVolume: decodeNodeUnpublishVolumeRequest,
  NodeExpandVolume: decodeNodeExpandVolumeRequest,
  NodeGetVolumeStats: decodeNodeGetVolumeStatsRequest,
} as const;
type Asked = keyof typeof DECODERS;

export interface FakeCall<M extends Asked = Asked> {
  readonly method: M;
  readonly request: ReturnType<(typeof DECODERS)[M]>;
}

export class FakeCsiDriver implements AsyncDisposable {
  readonly #server: FakeGrpcServer;
  /** Numbers of NodeServiceCapability.RPC.Type. */
  capabilities: readonly number[] = [1];
  info: Init<NodeGetInfoResponse> = { nodeId: 'node-1' };
  stats: Init<NodeGetVolumeStatsResponse> = {};
  /** Everything but questions about the driver, oldest first. */
  readonly calls: FakeCall[] = [];
  /** By method: the code the next calls end with. */
  readonly failures = new Map<string, number>();
  /** Methods that are never answered. */
  readonly hangs = new Set<string>();
  /** Stages and publishes that were not taken back, by path. */
  readonly staged = new Set<string>();
  readonly published = new Set<string>();
  /** The caller of this method dies with its question, or before it has the answer. */
  killAt: { readonly method: string; readonly moment: 'before' | 'after' } | undefined;
  readonly #killed = Promise.withResolvers<void>();
  /** Makes a file instead of a directory, as for a device. */
  isBlock = false;

  private constructor(server: FakeGrpcServer) {
    this.#server = server;
  }

  static async start(): Promise<FakeCsiDriver> {
    const server: FakeGrpcServer = await FakeGrpcServer.start((call) => void driver.#answer(call));
    const driver = new FakeCsiDriver(server);
    return driver;
  }

  get socketPath(): string {
    return this.#server.socketPath;
  }

  /** Resolves when a caller has died. */
  get killed(): Promise<void> {
    return this.#killed.promise;
  }

  /** The calls in order, by method. */
  get methods(): string[] {
    return this.calls.map(({ method }) => method);
  }

  /** The last request of a method. */
  last<M extends Asked>(method: M): FakeCall<M>['request'] {
    const found = this.calls.findLast((call) => call.method === method);
    if (found === undefined) throw new Error(`${method} was not called`);
    return found.request as FakeCall<M>['request'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async #answer(call: ServedCall): Promise<void> {
    const method = call.path.replace('/csi.v1.Node/', '');
    if (method in DECODERS) {
      const asked = method as Asked;
      this.calls.push({ method: asked, request: DECODERS[asked](call.body) });
    }
    if (this.hangs.has(method)) return;
    const failure = this.failures.get(method);
    if (failure !== undefined) return call.refuse(failure, `no ${method}`);
    const moment = this.killAt?.method === method ? this.killAt.moment : undefined;
    if (moment !== 'before') await this.#perform(method);
    if (moment !== undefined) return this.#killed.resolve();
    call.send(this.#render(method));
    call.end(0);
  }

  async #perform(method: string): Promise<void> {
    if (method === 'NodeStageVolume') this.staged.add(this.last('NodeStageVolume').stagingTargetPath);
    if (method === 'NodeUnstageVolume') this.staged.delete(this.last('NodeUnstageVolume').stagingTargetPath);
    if (method === 'NodePublishVolume') {
      const { targetPath } = this.last('NodePublishVolume');
      this.published.add(targetPath);
      if (this.isBlock) await writeFile(targetPath, '');
      else await mkdir(targetPath, { recursive: true });
    }
    if (method === 'NodeUnpublishVolume') {
      const { targetPath } = this.last('NodeUnpublishVolume');
      this.published.delete(targetPath);
      await rm(targetPath, { recursive: true, force: true });
    }
  }

  #render(method: string): Uint8Array {
    if (method === 'NodeGetInfo') return encodeNodeGetInfoResponse(this.info);
    if (method === 'NodeGetVolumeStats') return encodeNodeGetVolumeStatsResponse(this.stats);
    if (method === 'NodeExpandVolume') return encodeNodeExpandVolumeResponse({});
    if (method !== 'NodeGetCapabilities') return encodeNodePublishVolumeResponse({});
    const capabilities = this.capabilities.map((type) => ({ rpc: { type } }));
    return encodeNodeGetCapabilitiesResponse({ capabilities });
  }
}
