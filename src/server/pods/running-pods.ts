/** `/runningpods/`: what the runtime runs, including pods the agent does not manage. */
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import { type HttpReply, type HttpRequest, toJsonReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { acceptsJson, NOT_ACCEPTABLE } from './pod-list.ts';
import type { RunningReader } from './running-container.ts';

export function toRunningPodsRoute(reader: RunningReader): Route {
  return {
    path: '/runningpods/',
    methods: ['GET'],
    shapes: [[]],
    handle: (request, signal) => reply(reader, request, signal),
  };
}

async function reply(reader: RunningReader, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  if (!acceptsJson(request.headers['accept'])) return NOT_ACCEPTABLE;
  const [sandboxes, containers] = await Promise.all([
    reader.listSandboxes(undefined, { signal }),
    reader.listContainers(undefined, { signal }),
  ]);
  const byPod = Map.groupBy(
    containers.filter(({ state }) => state === 'running'),
    ({ podUid }) => podUid,
  );
  const ready = sandboxes.filter((sandbox) => sandbox.ready);
  const pods = new Map(ready.map((sandbox) => [sandbox.podUid, sandbox]));
  const items = [...pods.values()].map(({ podUid, podName, podNamespace }) => ({
    metadata: { name: podName, namespace: podNamespace, uid: podUid },
    spec: { containers: (byPod.get(podUid) ?? []).map(toContainer) },
    status: {},
  }));
  return toJsonReply({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: items.length === 0 ? null : items,
  });
}

function toContainer({ name, image }: ObservedContainer): object {
  return { name, image, resources: {} };
}
