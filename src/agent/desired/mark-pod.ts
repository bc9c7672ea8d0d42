/** The annotations by which a pod says where it came from and when it was first seen. */
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_SEEN_ANNOTATION, CONFIG_SOURCE_ANNOTATION } from '../../core/api/pod-identity.ts';
import type { PodSourceName } from '../../core/model/pod-source-name.ts';

/** A pod seen for the first time. */
export function markNewPod(pod: Pod, source: PodSourceName, nowMs: number): Pod {
  return mark(pod, source, toNanoTime(nowMs));
}

/** A new version of a known pod: it was first seen when `known` was. */
export function markLike(known: Pod, pod: Pod, source: PodSourceName): Pod {
  return mark(pod, source, known.metadata.annotations?.[CONFIG_SEEN_ANNOTATION] ?? '');
}

function mark(pod: Pod, source: PodSourceName, seenAt: string): Pod {
  const annotations = {
    ...pod.metadata.annotations,
    [CONFIG_SEEN_ANNOTATION]: seenAt,
    [CONFIG_SOURCE_ANNOTATION]: source,
  };
  return { ...pod, metadata: { ...pod.metadata, annotations } };
}

/** RFC 3339 with nine digits after the point, as the annotation has always been written. */
function toNanoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000000Z');
}
