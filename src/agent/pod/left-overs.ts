/**
 * Pods of which nothing is left but directories or a cgroup: the agent was
 * killed between the last removal at the runtime and the release of the pod.
 * Read once per start and ended like any other orphan. Other programs write to
 * these places too: a name that is no pod's is left alone, as what is made of
 * it is removed. A cgroup alone proves nothing: another kubelet may use the same
 * cgroup root. Processes in it are reported first and killed a minute later.
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
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

type Places = Pick<NodeProfile, 'rootDir' | 'podLogsDir' | 'cgroupRoot' | 'cgroupDriver' | 'cgroupsPerQos'>;

/** Time for the administrator to stop this kubelet before it kills what may be another's. */
const FOREIGN_WAIT_MS = 60_000;

export interface LeftOversParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: Pick<HostFiles, 'listDirectory'>;
  readonly cgroups: Pick<PodCgroups, 'children' | 'processes'>;
  readonly node: Places;
}

export interface FoundLeftOvers {
  readonly pods: readonly Pod[];
  /** False while processes that may be another kubelet's are given time: read again later. */
  readonly complete: boolean;
}

export class LeftOvers {
  readonly #parts: LeftOversParts;
  /** When cgroups with processes of unknown pods were first seen. */
  readonly #foreignSinceMs = new Map<PodUid, number>();

  constructor(parts: LeftOversParts) {
    this.#parts = parts;
  }

  /** One pod per UID that has a directory for data or logs, or a cgroup. Rejects when the host cannot be read. */
  async read(isKnown: (uid: PodUid) => boolean): Promise<FoundLeftOvers> {
    const { files, node } = this.#parts;
    const [uids, logs, grouped] = await Promise.all([
      files.listDirectory(podsDirectory(node.rootDir)),
      files.listDirectory(node.podLogsDir),
      this.#readCgroups(),
    ]);
    // Without a log directory the name is lost; its UID will do.
    const known = uids.flatMap((text) => parsePodUid(text) ?? []);
    const pods = new Map(known.map((uid) => [uid, toPod('', uid, uid)]));
    for (const directory of logs) {
      const found = parsePodLogDirectory(directory);
      if (found !== undefined) pods.set(found.uid, toPod(found.namespace, found.name, found.uid));
    }
    let complete = true;
    for (const [uid, path] of grouped) {
      if (pods.has(uid)) continue;
      if (isKnown(uid) || (await this.#mayRemove(uid, path))) pods.set(uid, toPod('', uid, uid));
      else complete = false;
    }
    return { pods: [...pods.values()], complete };
  }

  async #mayRemove(uid: PodUid, cgroup: string): Promise<boolean> {
    const { cgroups, clock, logger } = this.#parts;
    const processes = await cgroups.processes(cgroup);
    if (processes.length === 0) return true;
    const sinceMs = this.#foreignSinceMs.get(uid);
    if (sinceMs !== undefined) return clock.steady() - sinceMs >= FOREIGN_WAIT_MS;
    this.#foreignSinceMs.set(uid, clock.steady());
    logger.warn(
      'processes run in the cgroup of a pod that this kubelet has never had; they are killed in a minute: stop this kubelet if another one uses the same cgroup root',
      { cgroup, podUid: uid, processes: processes.slice(0, 10).join(' '), count: processes.length },
    );
    return false;
  }

  async #readCgroups(): Promise<Map<PodUid, string>> {
    const { cgroups, node } = this.#parts;
    const { cgroupRoot, cgroupDriver, cgroupsPerQos } = node;
    if (!cgroupsPerQos) return new Map();
    const parents = (['Guaranteed', 'Burstable', 'BestEffort'] as const).map((qos) =>
      toCgroupPath(qosCgroupName(cgroupRoot, qos), cgroupDriver),
    );
    const paths = (await Promise.all(parents.map((path) => cgroups.children(path)))).flat();
    return new Map(
      paths.flatMap((path) => {
        const uid = parsePodUid(podUidOfCgroup(parseCgroupPath(path, cgroupDriver)) ?? '');
        return uid === undefined ? [] : [[uid, path] as const];
      }),
    );
  }
}

function toPod(namespace: string, name: string, uid: PodUid): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid }, spec: { containers: [] } };
}
