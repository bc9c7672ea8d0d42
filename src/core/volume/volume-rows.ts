/** The volumes of pods as rows of a table: names and kinds, never what is in them. */
import type { Pod } from '../api/pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';

export interface VolumeRow {
  readonly namespace: string;
  readonly pod: string;
  readonly name: string;
  /** The field of the source, such as `configMap`. */
  readonly kind: string;
  /** Those that mount it. */
  readonly containers: readonly string[];
}

export function toVolumeRows(pods: readonly Pick<Pod, 'metadata' | 'spec'>[]): VolumeRow[] {
  return pods.flatMap((pod) =>
    (pod.spec.volumes ?? []).map(({ name, ...source }) => ({
      namespace: pod.metadata.namespace,
      pod: pod.metadata.name,
      name,
      kind: Object.keys(source)[0] ?? 'emptyDir',
      containers: allContainersOf(pod)
        .filter(({ volumeMounts = [] }) => volumeMounts.some((mount) => mount.name === name))
        .map((container) => container.name),
    })),
  );
}
