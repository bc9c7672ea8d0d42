/** A main port for tests: real TLS on loopback, made-up pods and runtime. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../src/base/async/clock.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log.ts';
import { MetricRegistry } from '../../src/base/metric-registry.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { toContainerId, toPodUid, toSandboxId } from '../../src/core/model/ids.ts';
import type { ObservedContainer, ObservedSandbox } from '../../src/core/model/observed-pod.ts';
import { PING } from '../../src/server/health/health-check.ts';
import type { HttpListener } from '../../src/server/http/http-listener.ts';
import type { ListenerLimits } from '../../src/server/http/listener-limits.ts';
import type { ServingTlsMaterial } from '../../src/server/http/listener-tls.ts';
import type { Guard } from '../../src/server/http/reply-finder.ts';
import { createMainServer, type MainServerSettings } from '../../src/server/main-server.ts';
import { SamplePage } from './sample-page.ts';

export const SAMPLE_POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'uid-p' },
  spec: { containers: [{ name: 'c', image: 'busybox' }] },
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'c',
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: 'busybox',
        imageID: 'sha256:1',
        containerID: 'containerd://c1',
      },
    ],
  },
};

export const SAMPLE_SANDBOX: ObservedSandbox = {
  id: toSandboxId('s1'),
  podUid: toPodUid('uid-p'),
  podName: 'p',
  podNamespace: 'ns',
  attempt: 0,
  ready: true,
  createdAtMs: 1,
  labels: {},
  annotations: {},
  runtimeHandler: '',
};

export const SAMPLE_CONTAINER: ObservedContainer = {
  id: toContainerId('c1'),
  podUid: toPodUid('uid-p'),
  sandboxId: SAMPLE_SANDBOX.id,
  name: 'c',
  state: 'running',
  createdAtMs: 1,
  image: 'busybox',
  imageId: 'sha256:1',
  labels: {},
  annotations: {},
};

const SAMPLE_STATISTICS = {
  summary: { node: { nodeName: 'n1', startTime: '2026-01-01T00:00:00Z' }, pods: [] },
  layout: 'single',
  atMs: 1,
} as const;

const DETAILS = { reason: '', message: '', logPath: '/logs/c/0.log', mounts: [] };

export interface SampleParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly tls: () => ServingTlsMaterial;
  readonly subscribe?: (listener: () => void) => Disposable;
  readonly guard: Guard;
  /** Where exec, attach and portForward lead. */
  readonly streamUrl?: () => URL;
  readonly idleTimeoutMs?: number;
  readonly limits?: Partial<ListenerLimits>;
  readonly settings?: Partial<MainServerSettings>;
}

export function createSampleServer(parts: SampleParts): HttpListener {
  return createMainServer(toSampleSettings(parts));
}

export function toSampleSettings(parts: SampleParts): MainServerSettings {
  const url = async (): Promise<URL> => parts.streamUrl?.() ?? new URL('http://127.0.0.1:1/none');
  const reader = {
    listSandboxes: async () => [SAMPLE_SANDBOX],
    listContainers: async () => [SAMPLE_CONTAINER],
  };
  return {
    place: { address: '127.0.0.1', port: 0 },
    answers: {
      checks: [PING],
      pods: { listPods: () => [SAMPLE_POD], statusOf: () => SAMPLE_POD.status },
      statistics: {
        read: async () => SAMPLE_STATISTICS,
        readUsage: async () => SAMPLE_STATISTICS,
        readDetails: () => Promise.reject(new AgentError('unavailable', 'no details here')),
      },
      metrics: { '/metrics': new MetricRegistry(), '/metrics/probes': new MetricRegistry() },
    },
    tls: {
      parameters: { minVersion: 'TLSv1.2' },
      current: parts.tls,
      subscribe: parts.subscribe ?? (() => ({ [Symbol.dispose]: () => {} })),
    },
    guard: parts.guard,
    debugging: {
      containers: {
        logs: {
          runtime: { containerStatus: async () => ({ ...SAMPLE_CONTAINER, details: DETAILS }) },
          logs: { read: async (_path, _query, sink) => sink.write(Buffer.from('a line\n')) },
          splitStreams: false,
        },
        streaming: {
          reader,
          streaming: { exec: url, attach: url, portForward: url },
          idleTimeoutMs: parts.idleTimeoutMs ?? 0,
          translateWebSockets: true,
        },
        run: {
          runtime: {
            execSync: async () => ({ exitCode: 0, stdout: Buffer.from('out'), stderr: Buffer.from('err') }),
          },
        },
        checkpoint: { directory: '/checkpoints', checkpoint: async () => {} },
      },
      component: {
        configz: () => '{"kubeletconfig":{}}',
        flagz: true,
        statusz: true,
        facts: { binaryVersion: '1.36.4', startedAtMs: 0, flags: [['v', '2']] },
      },
      profiling: { heapSnapshots: false, contention: undefined },
      nodeLogs: {
        nodeLogs: {
          open: async () => ({ kind: 'directory', names: ['syslog'] }),
          readUnits: async () => '',
          readJournal: async function* () {},
        },
        queries: false,
      },
      page: new SamplePage(parts.clock).source,
      setVerbosity: () => {},
    },
    kit: { clock: parts.clock, logger: parts.log },
    limits: parts.limits,
    ...parts.settings,
  };
}

/** A runtime's streaming server that upgrades and then sends back what it gets. */
export class EchoServer {
  readonly #server: Server;
  readonly requests: { method: string; url: string; headers: Record<string, unknown> }[] = [];
  readonly #sockets = new Set<Duplex>();

  constructor(answer: (socket: Duplex) => void = echo) {
    this.#server = createServer((_request, response) => response.writeHead(400).end('no upgrade'));
    this.#server.on('upgrade', (request, socket, head) => {
      const { method = '', url = '', headers } = request;
      this.requests.push({ method, url, headers });
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => this.#sockets.delete(socket));
      if (head.length > 0) socket.unshift(head);
      answer(socket);
    });
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  async start(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/exec/token?x=1`);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function echo(socket: Duplex): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
  socket.pipe(socket);
}
