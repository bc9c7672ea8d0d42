/** A gRPC health server without a library: every service serves. For pods on the host's network, in benchmarks. */
import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** One message without compression: `HealthCheckResponse{status: SERVING}`. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

export interface HealthServer {
  readonly port: number;
  close(): void;
}

/** On every address of this host. */
export async function startGrpcHealth(): Promise<HealthServer> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(SERVING);
  });
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => void server.close() };
}
