/**
 * Where the cgroups of pods and containers are. They do not move, so that one
 * that was found is not looked for again; what a whole reading did not ask for
 * is forgotten with it.
 */
import type { PodQosClass } from '../../core/api/pod-status.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import { findContainerCgroup } from '../../core/stats/container-cgroups.ts';
import type { CgroupStats } from '../../ports/host/stats-reader.ts';

const QOS_CLASSES: readonly PodQosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];

export interface CgroupPathsParts {
  readonly cgroupStats: Pick<CgroupStats, 'hasCgroup' | 'listCgroups'>;
  readonly node: Pick<NodeProfile, 'cgroupRoot' | 'cgroupDriver' | 'cgroupsPerQos'>;
}

export class CgroupPaths {
  readonly #parts: CgroupPathsParts;
  /** By pod, and by container or sandbox. */
  #known: ReadonlyMap<string, string> = new Map();
  #asked = new Map<string, string>();

  constructor(parts: CgroupPathsParts) {
    this.#parts = parts;
  }

  /** Before every pod is asked for once. */
  beginReading(): void {
    this.#known = this.#asked;
    this.#asked = new Map();
  }

  /** Undefined when it has none. A pod of which the definition is lost may be of any class. */
  findPod(uid: PodUid): string | undefined {
    const { node, cgroupStats } = this.#parts;
    if (!node.cgroupsPerQos) return undefined;
    return this.#find(uid, () =>
      QOS_CLASSES.map((qos) =>
        toCgroupPath(podCgroupName(node.cgroupRoot, qos, uid), node.cgroupDriver),
      ).find((path) => cgroupStats.hasCgroup(path)),
    );
  }

  /** Of a container or sandbox below the cgroup of its pod; undefined when it has none. */
  findContainer(podCgroup: string | undefined, id: string): string | undefined {
    if (podCgroup === undefined) return undefined;
    const { cgroupStats } = this.#parts;
    return this.#find(id, () => findContainerCgroup(podCgroup, cgroupStats.listCgroups(podCgroup), id));
  }

  #find(key: string, look: () => string | undefined): string | undefined {
    const path = this.#asked.get(key) ?? this.#known.get(key) ?? look();
    if (path !== undefined) this.#asked.set(key, path);
    return path;
  }
}
