/** How events point at a container inside its pod. */
import type { Pod } from '../api/pod.ts';

export function toContainerFieldPath(pod: Pod, name: string): string {
  const isIn = (containers: readonly { readonly name: string }[] | undefined): boolean =>
    containers?.some((container) => container.name === name) === true;
  if (isIn(pod.spec.initContainers)) return `spec.initContainers{${name}}`;
  if (isIn(pod.spec.ephemeralContainers)) return `spec.ephemeralContainers{${name}}`;
  return `spec.containers{${name}}`;
}
