/** `/explain` and `/explain/{namespace}/{pod}`: what each pod waits for, in one sentence and as data. */
import type { Pod } from '../../core/api/pod.ts';
import type { Explanation } from '../../core/pod/explain/explanation.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import { toJsonReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod } from './find-pod.ts';
import type { PodListing } from './pod-list.ts';

export interface ExplainParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  /** Undefined for a pod that has just gone. */
  readonly explain: (pod: Pod) => Explanation | undefined;
}

/** One explanation as clients read it; times as the API writes them. */
export interface PodExplanation {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly state: Explanation['state'];
  readonly sentence: string;
  readonly waitsFor?: string;
  readonly since?: string;
  readonly tried?: string;
  readonly nextTryAt?: string;
}

export function toExplainRoutes(parts: ExplainParts): Route[] {
  return [
    { path: '/explain', methods: ['GET'], handle: () => toJsonReply({ items: explainAll(parts) }) },
    {
      path: '/explain/',
      methods: ['GET'],
      shapes: [['namespace', 'pod']],
      handle: ({ params = {}, query }) => {
        const { namespace = '', pod: name = '' } = params;
        const pod = findPod(parts.pods, namespace, name, query.get('uid'));
        const explained = pod === undefined ? undefined : explainOne(parts, pod);
        if (explained !== undefined) return toJsonReply(explained);
        return toTextReply(404, `pod ${JSON.stringify(`${namespace}/${name}`)} does not exist\n`);
      },
    },
  ];
}

function explainAll(parts: ExplainParts): PodExplanation[] {
  return parts.pods.listPods().flatMap((pod) => explainOne(parts, pod) ?? []);
}

function explainOne({ explain }: ExplainParts, pod: Pod): PodExplanation | undefined {
  const explanation = explain(pod);
  if (explanation === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const { state, sentence, waitsFor, sinceMs, tried, nextTryAtMs } = explanation;
  return {
    namespace,
    name,
    uid,
    state,
    sentence,
    ...(waitsFor === undefined ? {} : { waitsFor }),
    ...(sinceMs === undefined ? {} : { since: toApiTime(sinceMs) }),
    ...(tried === undefined ? {} : { tried }),
    ...(nextTryAtMs === undefined ? {} : { nextTryAt: toApiTime(nextTryAtMs) }),
  };
}
