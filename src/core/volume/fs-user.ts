/** The one user all containers of a pod run as, when there is one. */
import type { Pod } from '../api/pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';

/** Undefined when a container has none set, or two differ. */
export function computeFsUser(pod: Pod): number | undefined {
  const own = pod.spec.securityContext?.runAsUser;
  const users = allContainersOf(pod).map(({ securityContext }) => securityContext?.runAsUser ?? own);
  const [first] = users;
  return users.every((user) => user === first) ? first : undefined;
}
