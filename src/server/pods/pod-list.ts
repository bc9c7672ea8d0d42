/**
 * The pods of this node as the API's PodList, each with the status the agent
 * computed last rather than the one it arrived with.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import { type HttpReply, type HttpRequest, toJsonReply, toRouterReply } from '../http/http-exchange.ts';

/** What the listing reads: any view of the desired pods and the published statuses. */
export interface PodListing {
  listPods(): readonly Pod[];
  /** Undefined before the first status was computed. */
  statusOf(pod: Pod): PodStatus | undefined;
}

export interface PodList {
  readonly kind: 'PodList';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  /** Null rather than empty, as upstream prints it. */
  readonly items: readonly ListedPod[] | null;
}

/** Kind and version are on the list only. */
export type ListedPod = Pick<Pod, 'metadata' | 'spec'> & { readonly status: Partial<PodStatus> };

export function toPodList(listing: PodListing): PodList {
  const items = listing.listPods().map((pod): ListedPod => {
    const { metadata, spec, status } = pod;
    return { metadata, spec, status: listing.statusOf(pod) ?? status ?? {} };
  });
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: items.length === 0 ? null : items };
}

/** JSON only; 406 for a client that takes none. */
export function replyPodList(listing: PodListing, request: Pick<HttpRequest, 'headers'>): HttpReply {
  if (acceptsJson(request.headers['accept'])) return toJsonReply(toPodList(listing));
  return NOT_ACCEPTABLE;
}

export const NOT_ACCEPTABLE = toRouterReply(
  406,
  '406: Not Acceptable\n\nAvailable representations: application/json',
);

/** As the routes with JSON take it: the whole type or everything. */
export function acceptsJson(accept: string | readonly string[] | undefined): boolean {
  const text = [accept ?? ''].flat().join(',');
  if (text.trim() === '') return true;
  const ranges = text.split(',').map((range) => range.split(';', 1)[0]?.trim());
  return ranges.includes('*/*') || ranges.includes('application/json');
}
