/** The pods that have a directory on the node. What else lies there is no pod's and is passed over. */
import { type PodUid, parsePodUid } from '../../../core/model/ids.ts';
import { podsDirectory } from '../../../core/model/pod-paths.ts';
import { listNames } from './list-names.ts';

/** Rejects with AgentError when the directory of all pods cannot be read. */
export async function listPodUids(rootDir: string): Promise<PodUid[]> {
  const names = await listNames(podsDirectory(rootDir));
  return names.flatMap((name) => parsePodUid(name) ?? []);
}
