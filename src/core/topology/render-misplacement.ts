/**
 * Why a container, or a pod, has no place, in words for `explain`: what it
 * asks for, from where each of it could come, and what cannot come at all.
 * The message of the refusal itself is the API's and says none of it.
 */
import type { ResourceList } from '../api/pod.ts';
import { nodesOf } from './numa-mask.ts';
import type { ResourceHints, TopologyHint } from './topology-hint.ts';
import type { TopologyPolicyName } from './topology-policy.ts';

/** More places than these say no more. */
const MAX_PLACES = 4;

export interface Misplaced {
  readonly asked: ResourceList;
  readonly hints: readonly (ResourceHints | undefined)[];
  readonly policy: TopologyPolicyName;
}

export function renderMisplacement({ asked, hints, policy }: Misplaced): string {
  const all = hints.flatMap((one) => [...(one ?? [])]).filter(([, places]) => places !== undefined);
  const wants = all.map(([resource]) => `${asked[resource] ?? 'some'} of ${resource}`);
  const lacking = all.filter(([, places]) => places?.length === 0).map(([resource]) => resource);
  const where =
    lacking.length > 0
      ? `too little of ${lacking.join(' and ')} is free`
      : all.map(([resource, places = []]) => `${resource} can come from ${renderPlaces(places)}`).join(', ');
  return `it asks for ${wants.join(' and ')} from NUMA nodes that the topology policy ${policy} takes together: ${where}`;
}

/** The narrowest only. */
function renderPlaces(places: readonly TopologyHint[]): string {
  const sets = places.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodesOf(nodes)]));
  if (sets.length === 0) return 'anywhere';
  const least = Math.min(...sets.map(({ length }) => length));
  const narrow = sets.filter(({ length }) => length === least).map((nodes) => nodes.join('+'));
  const shown = narrow.slice(0, MAX_PLACES).join(' or ');
  return `${least === 1 ? 'node' : 'nodes'} ${shown}${narrow.length > MAX_PLACES ? ' or others' : ''}`;
}
