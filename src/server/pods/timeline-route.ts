/** `/timeline/{namespace}/{pod}`: when the steps of a pod's life were, as far as this kubelet has seen it. */
import type { Pod } from '../../core/api/pod.ts';
import type { TimelineStep } from '../../core/timeline/timeline-step.ts';
import { toJsonReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import { findPod } from './find-pod.ts';
import type { PodListing } from './pod-list.ts';

export interface TimelineParts {
  readonly pods: Pick<PodListing, 'listPods'>;
  /** Undefined for a pod that has just gone. */
  readonly timeline: (pod: Pod) => RecordedTimeline | undefined;
}

export interface RecordedTimeline {
  readonly seenAtMs: number;
  readonly steps: readonly TimelineStep[];
  readonly leftOut: number;
}

/** One timeline as clients read it: times to the millisecond. */
export interface ListedTimeline {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly seen: string;
  readonly steps: readonly ListedStep[];
  readonly leftOut: number;
}

export interface ListedStep extends Pick<TimelineStep, 'what' | 'about' | 'problem' | 'tries'> {
  readonly start: string;
  /** Absent while it is under way. */
  readonly end?: string;
}

export function toTimelineRoute({ pods, timeline }: TimelineParts): Route {
  return {
    path: '/timeline/',
    methods: ['GET'],
    shapes: [['namespace', 'pod']],
    handle: ({ params = {}, query }) => {
      const { namespace = '', pod: name = '' } = params;
      const pod = findPod(pods, namespace, name, query.get('uid'));
      const recorded = pod === undefined ? undefined : timeline(pod);
      if (pod !== undefined && recorded !== undefined) return toJsonReply(toListed(pod, recorded));
      return toTextReply(404, `pod ${JSON.stringify(`${namespace}/${name}`)} does not exist\n`);
    },
  };
}

function toListed(
  { metadata: { namespace, name, uid } }: Pod,
  { seenAtMs, steps, leftOut }: RecordedTimeline,
): ListedTimeline {
  const listed = steps.map(({ startMs, endMs, ...step }) => ({
    ...step,
    start: toTime(startMs),
    ...(endMs === undefined ? {} : { end: toTime(endMs) }),
  }));
  return { namespace, name, uid, seen: toTime(seenAtMs), steps: listed, leftOut };
}

function toTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
