/**
 * exec, attach and portForward: asks the runtime for an address and connects
 * the client to it. The agent never looks into the stream, except where a
 * client speaks a protocol the runtime does not.
 */
import type { Clock } from '../../base/async/clock.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Pod } from '../../core/api/pod.ts';
import { fullName } from '../../core/api/pod-identity.ts';
import type { StreamingRuntime, StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import { type HttpReply, type HttpRequest, toErrorReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findContainer, findPod } from '../pods/find-pod.ts';
import type { PodListing } from '../pods/pod-list.ts';
import { findRunningContainer, findSandbox, type RunningReader } from '../pods/running-container.ts';
import { type ProxySettings, proxyUpgrade, type StreamOutcome } from './proxy-upgrade.ts';
import {
  isWebSocket,
  parsePorts,
  parseStreams,
  tunnelProtocol,
  webSocketProtocols,
} from './stream-options.ts';

export interface StreamingParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  readonly reader: RunningReader;
  readonly streaming: StreamingRuntime;
  readonly idleTimeoutMs: number;
  /** The gate ExtendWebSocketsToKubelet. */
  readonly translateWebSockets: boolean;
  readonly onWebSocket?: (subresource: 'exec' | 'attach' | 'portforward') => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const CONTAINER_SHAPES = [
  ['namespace', 'pod', 'container'],
  ['namespace', 'pod', 'uid', 'container'],
];
const POD_SHAPES = [
  ['namespace', 'pod'],
  ['namespace', 'pod', 'uid'],
];
const METHODS = ['GET', 'POST'];

export function toStreamingRoutes(parts: StreamingParts): Route[] {
  const route = (path: string, shapes: Route['shapes'], handle: Answer): Route => ({
    path,
    methods: METHODS,
    upgrades: true,
    shapes,
    handle: (request, signal) => guarded(() => handle(parts, request, signal)),
  });
  return [
    route('/exec/', CONTAINER_SHAPES, exec),
    route('/attach/', CONTAINER_SHAPES, attach),
    route('/portForward/', POD_SHAPES, portForward),
  ];
}

type Answer = (parts: StreamingParts, request: HttpRequest, signal: AbortSignal) => Promise<HttpReply>;

async function exec(parts: StreamingParts, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', uid, container = '' } = request.params ?? {};
  const streams = parseStreams(request.query);
  if ('problem' in streams) return toTextReply(400, streams.problem);
  const pod = findPod(parts.pods, namespace, podName, uid);
  if (pod === undefined) return toTextReply(404, 'pod does not exist');
  const found = await findRunningContainer(parts.reader, pod, container, { signal });
  if (found === undefined) return toTextReply(500, `container not found (${JSON.stringify(container)})`);
  if (request.upgrade === undefined) return UPGRADE_REQUIRED;
  const command = request.query.getAll('command');
  const url = await parts.streaming.exec(found.id, command, streams.value, { signal });
  return connect(parts, request, url, {
    action: 'exec',
    pod,
    container,
    program: command[0] ?? '',
    streams: streams.value,
  });
}

async function attach(parts: StreamingParts, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', uid, container = '' } = request.params ?? {};
  const streams = parseStreams(request.query);
  if ('problem' in streams) return toTextReply(400, streams.problem);
  const pod = findPod(parts.pods, namespace, podName, uid);
  if (pod === undefined) return toTextReply(404, 'pod does not exist');
  if (uid !== undefined && uid !== pod.metadata.uid)
    return toTextReply(500, `pod ${fullName(pod)} not found`);
  const found = await findRunningContainer(parts.reader, pod, container, { signal });
  if (found === undefined)
    return toTextReply(500, `container ${container} not found in pod ${fullName(pod)}`);
  if (request.upgrade === undefined) return UPGRADE_REQUIRED;
  // Whether the container has a terminal decides, not the client's request.
  const tty = findContainer(pod.spec, container)?.tty ?? false;
  const wanted = { ...streams.value, tty };
  const url = await parts.streaming.attach(found.id, wanted, { signal });
  return connect(parts, request, url, { action: 'attach', pod, container, streams: wanted });
}

async function portForward(
  parts: StreamingParts,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', uid } = request.params ?? {};
  const ports = parsePorts(request);
  if ('problem' in ports) return toErrorReply(400, ports.problem);
  const pod = findPod(parts.pods, namespace, podName, uid);
  if (pod === undefined) return toTextReply(404, 'pod does not exist');
  if (uid !== undefined && uid !== pod.metadata.uid) return toTextReply(404, 'pod not found');
  const sandbox = await findSandbox(parts.reader, pod, { signal });
  if (sandbox === undefined) return toTextReply(500, `pod not found (${JSON.stringify(fullName(pod))})`);
  if (request.upgrade === undefined) return UPGRADE_REQUIRED;
  const url = await parts.streaming.portForward(sandbox.id, ports.value, { signal });
  return connect(parts, request, url, { action: 'portForward', pod });
}

const UPGRADE_REQUIRED = toErrorReply(500, 'Upgrade request required');

interface StreamFacts {
  readonly action: 'exec' | 'attach' | 'portForward';
  readonly pod: Pod;
  readonly container?: string;
  /** The first word only: arguments may hold secrets. */
  readonly program?: string;
  readonly streams?: StreamSet;
}

function connect(parts: StreamingParts, request: HttpRequest, url: URL, facts: StreamFacts): HttpReply {
  const takeOver: NonNullable<HttpReply['takeOver']> = async (connection, signal) => {
    const startedAtMs = parts.clock.steady();
    const { clock, idleTimeoutMs } = parts;
    const settings: ProxySettings = {
      clock,
      idleTimeoutMs,
      streams: facts.streams,
    };
    const serve = await chooseCarrier(parts, request, facts.action);
    const outcome = await serve(url, request, connection, signal, settings);
    audit(parts, request, facts, outcome, parts.clock.steady() - startedAtMs);
  };
  return { status: 101, headers: {}, body: '', takeOver };
}

async function chooseCarrier(
  { translateWebSockets, onWebSocket }: StreamingParts,
  { headers }: HttpRequest,
  action: StreamFacts['action'],
): Promise<typeof proxyUpgrade> {
  if (!translateWebSockets || !isWebSocket(headers)) return proxyUpgrade;
  if (action === 'portForward' && tunnelProtocol(headers) !== undefined) {
    onWebSocket?.('portforward');
    return (await import('./tunnel-spdy.ts')).tunnelSpdy;
  }
  if (action !== 'portForward' && webSocketProtocols(headers).includes('v5.channel.k8s.io')) {
    onWebSocket?.(action);
    return (await import('./translate-web-socket.ts')).translateWebSocket;
  }
  return proxyUpgrade;
}

/** One line per call that reached the runtime. */
function audit(
  { log }: StreamingParts,
  { user, peer, headers }: HttpRequest,
  { action, pod, container, program }: StreamFacts,
  { status, problem, bytesIn, bytesOut, endedBy }: StreamOutcome,
  durationMs: number,
): void {
  log.info('stream ended', {
    action,
    user: user?.name,
    from: peer?.address,
    pod: `${pod.metadata.namespace}/${pod.metadata.name}`,
    podUid: pod.metadata.uid,
    container,
    program,
    protocol: String(headers['upgrade'] ?? ''),
    status,
    bytesIn,
    bytesOut,
    endedBy,
    durationMs: Math.round(durationMs),
    err: problem,
  });
}

/** A refusal of the runtime, in its words. */
export async function guarded(work: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const status = error.code === 'not-found' ? 404 : error.code === 'resource-exhausted' ? 429 : 500;
    const reply = toErrorReply(status, errorText(error));
    return status === 429 ? { ...reply, headers: { ...reply.headers, 'retry-after': '60' } } : reply;
  }
}
