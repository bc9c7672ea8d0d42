/** `/run/{namespace}/{pod}[/{uid}]/{container}`: one command, its output as the answer. */
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import { type HttpReply, type HttpRequest, toErrorReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod } from '../pods/find-pod.ts';
import type { PodListing } from '../pods/pod-list.ts';
import { findRunningContainer, type RunningReader } from '../pods/running-container.ts';
import { guarded } from './streaming-routes.ts';

export interface RunParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  readonly reader: RunningReader;
  readonly runtime: Pick<ContainerRuntime, 'execSync'>;
}

export function toRunRoute(parts: RunParts): Route {
  return {
    path: '/run/',
    methods: ['POST'],
    shapes: [
      ['namespace', 'pod', 'container'],
      ['namespace', 'pod', 'uid', 'container'],
    ],
    handle: (request, signal) => guarded(() => run(parts, request, signal)),
  };
}

async function run(parts: RunParts, request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  const { namespace = '', pod: podName = '', container = '' } = request.params ?? {};
  const pod = findPod(parts.pods, namespace, podName);
  if (pod === undefined) return toTextReply(404, 'pod does not exist');
  const found = await findRunningContainer(parts.reader, pod, container, { signal });
  if (found === undefined) return toErrorReply(500, `container not found (${JSON.stringify(container)})`);
  const command = (request.query.get('cmd') ?? '').split(' ');
  const { exitCode, stdout, stderr } = await parts.runtime.execSync(found.id, command, 0, { signal });
  if (exitCode !== 0) {
    const text = Buffer.from(stderr).toString();
    return toErrorReply(500, `command '${command.join(' ')}' exited with ${exitCode}: ${text}`);
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '',
    stream: async (sink) => {
      await sink.write(stdout);
      await sink.write(stderr);
    },
  };
}
