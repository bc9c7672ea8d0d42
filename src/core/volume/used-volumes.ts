/**
 * Which of a pod's volumes are set up: those some container mounts or gets as
 * a device. An unused one is never touched, as upstream has it.
 */
import type { Container, Pod } from '../api/pod.ts';
import type { Volume } from '../api/volume.ts';
import { allContainersOf } from '../model/pod-containers.ts';

/** In the order of the pod. */
export function toUsedVolumes(pod: Pod): Volume[] {
  const used = new Set(
    allContainersOf(pod).flatMap(({ volumeMounts = [], volumeDevices = [] }) =>
      [...volumeMounts, ...volumeDevices].map(({ name }) => name),
    ),
  );
  for (const { volumeName } of allContainersOf(pod).flatMap(toFileReferences)) used.add(volumeName);
  return (pod.spec.volumes ?? []).filter(({ name }) => used.has(name));
}

/** Variables that are read from a file need the volume it is in. */
function toFileReferences({ env = [] }: Container): { readonly volumeName: string }[] {
  return env.map(({ valueFrom }) => valueFrom?.fileKeyRef).filter((reference) => reference !== undefined);
}
