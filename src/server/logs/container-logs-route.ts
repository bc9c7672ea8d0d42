/** `/containerLogs/{namespace}/{pod}/{container}`: what a container wrote, as a stream of text. */

import { abortable } from '../../base/async/abortable.ts';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import { type ContainerId, toContainerId } from '../../core/model/ids.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import type { ContainerLogs } from '../../ports/runtime/container-logs.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import { type HttpReply, type HttpRequest, toStreamReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod, hasContainer } from '../pods/find-pod.ts';
import type { PodListing } from '../pods/pod-list.ts';
import { decideLogInstance } from './log-instance.ts';
import { type LogOptions, parseLogOptions } from './log-options.ts';

/** A runtime that takes longer is not waited for where the container was seen before. */
const ANSWER_MS = 2_000;

export interface ContainerLogsParts {
  readonly pods: PodListing;
  readonly runtime: Pick<RuntimeReader, 'containerStatus'>;
  readonly logs: ContainerLogs;
  /** A container as it was last read, for when the runtime is away: the files are there all the same. */
  readonly lastSeen?: ((id: ContainerId) => ObservedContainer | undefined) | undefined;
  /** The gate PodLogsQuerySplitStreams. */
  readonly splitStreams: boolean;
  readonly clock: Clock;
}

export function toContainerLogsRoute(parts: ContainerLogsParts): Route {
  return {
    path: '/containerLogs/',
    methods: ['GET'],
    shapes: [['namespace', 'pod', 'container']],
    handle: (request, signal) => reply(parts, request, signal),
  };
}

async function reply(
  parts: ContainerLogsParts,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', container = '' } = request.params ?? {};
  const parsed = parseLogOptions(request.query, parts.clock.now());
  if (parsed.kind === 'undecodable') return toTextReply(400, '{"message": "Unable to decode query."}');
  if (parsed.kind === 'invalid') return toTextReply(422, '{"message": "Invalid request."}');
  const { options } = parsed;
  const pod = findPod(parts.pods, namespace, podName, request.query.get('uid'));
  if (pod === undefined) return toTextReply(404, `pod ${JSON.stringify(podName)} does not exist`);
  if (!hasContainer(pod, container)) {
    const text = `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(podName)}`;
    return toTextReply(404, text);
  }
  if (options.stream !== 'All' && !parts.splitStreams) {
    const what = `unable to return the given log stream: ${JSON.stringify(options.stream)}`;
    return toTextReply(400, `${what}. Please enable PodLogsQuerySplitStreams feature gate in kubelet`);
  }
  const status = parts.pods.statusOf(pod) ?? pod.status;
  const instance = decideLogInstance(status, podName, container, options.previous);
  if ('problem' in instance) return toTextReply(400, instance.problem);
  return replyInstance(parts, instance.containerId, options, signal);
}

async function replyInstance(
  parts: ContainerLogsParts,
  containerId: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<HttpReply> {
  const id = toContainerId(containerId.replace(/^[^:]*:\/\//, ''));
  const { runtime, logs } = parts;
  const found = await findContainer(parts, id, signal);
  const path = found?.details?.logPath ?? '';
  if (path === '') return toTextReply(400, `unable to retrieve container logs for ${containerId}`);
  const isRunning = async (): Promise<boolean> => {
    try {
      return (await runtime.containerStatus(id, { signal }))?.state === 'running';
    } catch (error) {
      // A runtime that restarts or hangs says nothing about the container.
      if (hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded')) return true;
      throw error;
    }
  };
  return toStreamReply(async (sink, streamSignal) => {
    try {
      await logs.read(path, options, sink, { signal: streamSignal, isRunning });
    } catch (error) {
      if (streamSignal.aborted) return;
      // The headers were sent already, so the client gets the error in the body.
      await sink.write(Buffer.from(errorText(error)));
    }
  });
}

/** As the runtime has it; as it was last seen when the runtime cannot say. */
async function findContainer(
  { runtime, lastSeen, clock }: ContainerLogsParts,
  id: ContainerId,
  signal: AbortSignal,
): Promise<ObservedContainer | undefined> {
  const known = lastSeen?.(id);
  using deadline = new Deadline(clock, { timeoutMs: known === undefined ? undefined : ANSWER_MS, signal });
  try {
    const answer = runtime.containerStatus(id, { signal: deadline.signal });
    return await abortable(answer, deadline.signal);
  } catch {
    return known;
  }
}
