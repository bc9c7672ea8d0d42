/**
 * Pods of which nothing is left but directories or a cgroup: the agent was
 * killed between the last removal at the runtime and the release of the pod.
 * Read once per start and ended like any other orphan. Other programs write to
 * these places too: a name that is no pod's is left alone, as what is made of
 * it is removed.
 */
import type { Pod } from '../../core/api/pod.ts';
import { type PodUid, parsePodUid } from '../../core/model/ids.ts';
import { parsePodLogDirectory } from '../../core/model/log-paths.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podsDirectory } from '../../core/model/pod-paths.ts';
import {
  parseCgroupPath,
  podUidOfCgroup,
  qosCgroupName,
  toCgroupPath,
} from '../../core/resources/cgroup-names.ts';
import type { PodCgroups } from '../../ports/cgroups.ts';
import type { HostFiles } from '../../ports/host-files.ts';

type Places = Pick<NodeProfile, 'rootDir' | 'podLogsDir' | 'cgroupRoot' | 'cgroupDriver' | 'cgroupsPerQos'>;

/** One pod per UID that has a directory for data or logs, or a cgroup. Rejects when the host cannot be read. */
export async function readLeftOvers(
  files: HostFiles,
  cgroups: Pick<PodCgroups, 'children'>,
  node: Places,
): Promise<Pod[]> {
  const [uids, logs, grouped] = await Promise.all([
    files.listDirectory(podsDirectory(node.rootDir)),
    files.listDirectory(node.podLogsDir),
    readCgroupUids(cgroups, node),
  ]);
  // Without a log directory nobody knows the name any more; its UID will do.
  const known = [...uids, ...grouped].flatMap((text) => parsePodUid(text) ?? []);
  const pods = new Map(known.map((uid) => [uid, toPod('', uid, uid)]));
  for (const directory of logs) {
    const found = parsePodLogDirectory(directory);
    if (found !== undefined) pods.set(found.uid, toPod(found.namespace, found.name, found.uid));
  }
  return [...pods.values()];
}

async function readCgroupUids(cgroups: Pick<PodCgroups, 'children'>, node: Places): Promise<string[]> {
  const { cgroupRoot, cgroupDriver, cgroupsPerQos } = node;
  if (!cgroupsPerQos) return [];
  const parents = (['Guaranteed', 'Burstable', 'BestEffort'] as const).map((qos) =>
    toCgroupPath(qosCgroupName(cgroupRoot, qos), cgroupDriver),
  );
  const paths = (await Promise.all(parents.map((path) => cgroups.children(path)))).flat();
  return paths.flatMap((path) => podUidOfCgroup(parseCgroupPath(path, cgroupDriver)) ?? []);
}

function toPod(namespace: string, name: string, uid: PodUid): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, spec: { containers: [] } };
}
