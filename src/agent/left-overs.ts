/**
 * Pods of which nothing is left but directories: the agent was killed between
 * the last removal at the runtime and the release of the pod. Read once per
 * start and ended like any other orphan.
 */
import type { Pod } from '../core/api/pod.ts';
import type { NodeFacts } from '../core/spec/node-facts.ts';
import { podsDirectory } from '../core/spec/pod-paths.ts';
import type { HostFiles } from '../ports/host-files.ts';

/** One pod per UID that has a directory for data or for logs. Rejects when the host cannot be read. */
export async function readLeftOvers(
  files: HostFiles,
  { rootDir, podLogsDir }: Pick<NodeFacts, 'rootDir' | 'podLogsDir'>,
): Promise<Pod[]> {
  const [uids, logs] = await Promise.all([
    files.listDirectory(podsDirectory(rootDir)),
    files.listDirectory(podLogsDir),
  ]);
  // Without a log directory nobody knows the name any more; its UID will do.
  const pods = new Map(uids.map((uid) => [uid, toPod('', uid, uid)]));
  for (const directory of logs) {
    const [namespace, name, uid, ...rest] = directory.split('_');
    if (namespace === undefined || name === undefined || uid === undefined || rest.length > 0) continue;
    pods.set(uid, toPod(namespace, name, uid));
  }
  return [...pods.values()];
}

function toPod(namespace: string, name: string, uid: string): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, spec: { containers: [] } };
}
