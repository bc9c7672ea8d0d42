/** Where the runtime put a container below the cgroup of its pod. */
import { toPathComponent } from '../model/path-component.ts';

/**
 * By the container's id among the names of the cgroups there: the id itself, or
 * a scope of systemd that ends in it. Undefined when there is none.
 */
export function findContainerCgroup(
  podCgroup: string,
  children: readonly string[],
  id: string,
): string | undefined {
  const found = children.find((name) => name === id || name.endsWith(`-${id}.scope`));
  return found === undefined ? undefined : `${podCgroup}/${toPathComponent(found)}`;
}
