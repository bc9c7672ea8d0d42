/** `/checkpoint/{namespace}/{pod}/{container}`: writes the state of a running container into an archive. */

import type { Clock } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import { type HttpReply, type HttpRequest, toJsonReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod, hasContainer } from './find-pod.ts';
import { acceptsJson, NOT_ACCEPTABLE, type PodListing } from './pod-list.ts';
import { findRunningContainer, type RunningReader } from './running-container.ts';

export interface CheckpointParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  readonly reader: RunningReader;
  /** `<root>/checkpoints`. */
  readonly directory: string;
  /** Makes the directory and asks the runtime; rejects with AgentError. */
  readonly checkpoint: (id: ContainerId, location: string, timeoutSeconds: number) => Promise<void>;
  readonly clock: Clock;
}

export function toCheckpointRoute(parts: CheckpointParts): Route {
  return {
    path: '/checkpoint/',
    methods: ['POST'],
    shapes: [['namespace', 'pod', 'container']],
    handle: (request, signal) => reply(parts, request, signal),
  };
}

async function reply(parts: CheckpointParts, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', container = '' } = request.params ?? {};
  if (!acceptsJson(request.headers['accept'])) return NOT_ACCEPTABLE;
  const pod = findPod(parts.pods, namespace, podName);
  if (pod === undefined) return toTextReply(404, 'pod does not exist');
  if (!hasContainer(pod, container)) return toTextReply(404, `container ${container} does not exist`);
  const timeout = request.query.getAll('timeout').at(-1) ?? '0';
  if (!/^[+-]?\d{1,18}$/.test(timeout)) return toTextReply(404, 'cannot parse value of timeout parameter');
  try {
    const found = await findRunningContainer(parts.reader, pod, container, { signal });
    if (found === undefined) throw new Error(`container ${container} not found`);
    const stamp = renderLocalTime(new Date(parts.clock.now()));
    const location = `${parts.directory}/checkpoint-${podName}_${namespace}-${container}-${stamp}.tar`;
    await parts.checkpoint(found.id, location, Number(timeout));
    return toJsonReply({ items: [location] });
  } catch (error) {
    const what = `checkpointing of ${namespace}/${podName}/${container} failed`;
    return toTextReply(500, `${what} (${errorText(error)})`);
  }
}

/** RFC 3339 with the offset of this host. */
function renderLocalTime(time: Date): string {
  const offset = -time.getTimezoneOffset();
  const two = (n: number): string => String(Math.abs(n)).padStart(2, '0');
  const local = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.trunc(offset / 60))}:${two(offset % 60)}`;
}
