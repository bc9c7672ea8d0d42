/**
 * The Pods service on a unix socket: the pods of this node, one of them, or
 * every change, without a way to the API server. All calls share one rate;
 * what comes too fast is refused, and so is a watch that is one too many.
 */
import { abortable } from '../../base/async/abortable.ts';
import type { Clock } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import {
  decodeGetPodRequest,
  EventType,
  encodeGetPodResponse,
  encodeListPodsResponse,
  encodeWatchPodsEvent,
} from '../../gen/pods.ts';
import type { PodCatalog } from '../../ports/pod-catalog.ts';
import { admitAtRate } from '../grpc/admit-at-rate.ts';
import { GrpcServer, type StreamHandler, type UnaryHandler } from '../grpc/grpc-server.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { encodePod } from './encode-pod.ts';
import { PodEvent, PodWatchers } from './pod-watchers.ts';

const CALL_TIMEOUT_MS = 10_000;
const MAX_REQUEST_BYTES = 64 * 1024;
const DIRECTORY_MODE = 0o700;

export interface PodsServerParts {
  /** `<root>/pods-api/pods-api.sock`. */
  readonly path: string;
  readonly pods: PodCatalog;
  /** A watch was ended because its caller read too slowly. */
  readonly onDropped: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Serves until `stop` aborts; rejects with AgentError when it cannot. */
export async function servePods(parts: PodsServerParts, stop: AbortSignal): Promise<void> {
  const { clock, logger, path, pods, onDropped } = parts;
  const watchers = new PodWatchers(onDropped);
  const server = new GrpcServer({
    clock,
    logger,
    methods: toMethods(pods),
    streams: new Map([['/v1alpha1.Pods/WatchPods', toWatch(pods, watchers)]]),
    admit: admitAtRate(clock),
    callTimeoutMs: CALL_TIMEOUT_MS,
    maxReceiveBytes: MAX_REQUEST_BYTES,
  });
  await server.listen(path, DIRECTORY_MODE, (error) =>
    logger.warn('Pods server reported an error', { err: errorText(error) }),
  );
  using _changes = pods.onChange((change) => watchers.note(change));
  await whenAborted(stop);
  await server.close();
}

function toMethods(pods: PodCatalog): Map<string, UnaryHandler> {
  const get: UnaryHandler = (body) => {
    const { podUID } = decodeGetPodRequest(body);
    const pod = pods.find(podUID);
    if (pod === undefined) throw new GrpcError(GrpcCode.NOT_FOUND, `pod with UID ${podUID} not found`);
    return encodeGetPodResponse({ pod: encodePod(pod) });
  };
  return new Map([
    ['/v1alpha1.Pods/ListPods', () => encodeListPodsResponse({ pods: pods.list().map(encodePod) })],
    ['/v1alpha1.Pods/GetPod', get],
  ]);
}

/** Every pod as added, then the mark that these were all, then every change. */
function toWatch(pods: PodCatalog, watchers: PodWatchers): StreamHandler {
  return async (_request, send, left) => {
    const watcher = watchers.add();
    const ended = AbortSignal.any([left, watcher.lost]);
    try {
      for (const { metadata } of pods.list()) {
        const pod = pods.find(metadata.uid);
        if (pod !== undefined) await send(new PodEvent({ kind: 'added', pod }).bytes, ended);
      }
      await send(encodeWatchPodsEvent({ type: EventType.INITIAL_SYNC_COMPLETE }), ended);
      for (;;) await send((await abortable(watcher.next(), ended)).bytes, ended);
    } finally {
      watchers.remove(watcher);
    }
  };
}
