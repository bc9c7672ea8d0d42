/**
 * The authorization attributes of a request: a verb on a sub-resource of this
 * node. With several sub-resources, access to any of them suffices; the first
 * is the most specific.
 */
import type { AccessAttributes } from '../../ports/cluster/authorization.ts';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
  checkpoint: ['checkpoint'],
  statusz: ['statusz'],
  flagz: ['configz'],
  // All that the agent holds, Secrets and keys too: no right that was given for anything else suffices.
  heapsnapshot: ['heapsnapshot'],
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
};

/** These act inside containers with every method: a WebSocket can only begin with GET. */
const ALWAYS_CREATE: ReadonlySet<string> = new Set(['exec', 'attach', 'run', 'portForward']);

/** In the order to be tried; never empty. */
export function toAccessAttributes(
  method: string,
  path: string,
  nodeName: string,
): readonly [AccessAttributes, ...AccessAttributes[]] {
  const [, first = ''] = path.split('/');
  const verb = ALWAYS_CREATE.has(first) ? 'create' : (VERBS[method] ?? '');
  const names = Object.hasOwn(SUBRESOURCES, first) ? (SUBRESOURCES[first] ?? []) : [];
  const [head = 'proxy', ...rest] = names;
  return [
    { verb, subresource: head, nodeName },
    ...rest.map((subresource) => ({ verb, subresource, nodeName })),
  ];
}
