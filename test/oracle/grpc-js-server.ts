/**
 * A server of @grpc/grpc-js on a unix socket, which serves raw messages: the
 * peer that our gRPC client is tested with, written by others. `/test.Peer/Call`
 * is unary, `/test.Peer/Stream` sends many messages.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerOptions,
} from '@grpc/grpc-js';

export interface Served {
  readonly call?: handleUnaryCall<Buffer, Buffer>;
  readonly stream?: handleServerStreamingCall<Buffer, Buffer>;
}

const same = (bytes: Buffer): Buffer => bytes;
const method = (path: string, responseStream: boolean) => ({
  path,
  requestStream: false,
  responseStream,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
});

export const SERVICE = {
  call: method('/test.Peer/Call', false),
  stream: method('/test.Peer/Stream', true),
};

export class GrpcJsServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'grpc-js-'));
  readonly socketPath = join(this.#folder, 'peer.sock');
  readonly #server: Server;

  private constructor(options: ServerOptions) {
    this.#server = new Server(options);
  }

  static async start(served: Served, options: ServerOptions = {}): Promise<GrpcJsServer> {
    const server = new GrpcJsServer(options);
    server.#server.addService(SERVICE, { ...served });
    await new Promise<void>((resolve, reject) => {
      const credentials = ServerCredentials.createInsecure();
      server.#server.bindAsync(server.address, credentials, (error) => (error ? reject(error) : resolve()));
    });
    return server;
  }

  get address(): string {
    return `unix:${this.socketPath}`;
  }

  /** Sends GOAWAY on every connection; calls under way may finish. */
  drain(): void {
    this.#server.drain(this.address, 60_000);
  }

  /** Drops every connection at once. */
  kill(): void {
    this.#server.forceShutdown();
  }

  [Symbol.dispose](): void {
    this.kill();
    rmSync(this.#folder, { recursive: true });
  }
}
