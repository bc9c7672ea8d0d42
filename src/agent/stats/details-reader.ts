/**
 * Reads every cgroup that the node answers for, with all there is to know of
 * each: the machine, the agent's own cgroups, and those of pods, sandboxes and
 * containers. Keeps nothing between readings.
 */
import { sleep } from '../../base/async/clock.ts';
import type { MetricFamily } from '../../base/metric-registry.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import {
  parseCgroupPath,
  podsCgroupName,
  podUidOfCgroup,
  qosCgroupName,
  toCgroupPath,
} from '../../core/resources/cgroup-names.ts';
import type {
  CgroupLabels,
  DetailsReading,
  FileSystemDetails,
  InterfaceDetails,
  MeasuredCgroup,
} from '../../core/stats/cgroup-details.ts';
import {
  toBareLabels,
  toContainerIdOfCgroup,
  toContainerLabels,
  toPodLabels,
  toSandboxLabels,
} from '../../core/stats/cgroup-labels.ts';
import { isShownInterface } from '../../core/stats/to-network.ts';
import type { SystemCgroup } from '../../core/stats/to-node-stats.ts';
import type { CgroupDetailsReader, CgroupStats } from '../../ports/host/stats-reader.ts';
import type { Kit } from '../../ports/kit.ts';

const ROOT = '/';
/** So many cgroups are read before other work gets its turn, or fewer where they take long. */
const CGROUPS_PER_TURN = 32;
const TURN_MS = 20;

export interface DetailsReaderParts extends Pick<Kit, 'clock'> {
  readonly details: CgroupDetailsReader;
  readonly cgroupStats: Pick<CgroupStats, 'listCgroups' | 'readCreation' | 'findOwnCgroup'>;
  readonly systemCgroups: readonly SystemCgroup[];
  readonly node: Pick<NodeProfile, 'cgroupRoot' | 'cgroupDriver' | 'cgroupsPerQos'>;
  readonly readPod: (uid: PodUid) => Pod | undefined;
}

/** What the runtime lists. */
export interface ListedPods {
  readonly sandboxes: readonly ObservedSandbox[];
  readonly containers: readonly ObservedContainer[];
  /** Of the sandboxes; empty when unknown. */
  readonly sandboxImage: string;
}

/** A cgroup that is to be read. */
interface Place {
  readonly labels: CgroupLabels;
  /** Undefined for the time when the cgroup was made. */
  readonly createdAtMs: number | undefined;
  readonly isSandbox: boolean;
}

/** What the runtime lists, by what cgroups are named after. */
interface Index {
  readonly sandboxes: ReadonlyMap<string, ObservedSandbox>;
  readonly byPod: ReadonlyMap<string, ObservedSandbox>;
  readonly containers: ReadonlyMap<string, ObservedContainer>;
  readonly sandboxImage: string;
}

export class DetailsReader {
  readonly #parts: DetailsReaderParts;

  constructor(parts: DetailsReaderParts) {
    this.#parts = parts;
  }

  async read(listed: ListedPods): Promise<DetailsReading> {
    const { clock, details } = this.#parts;
    const atMs = clock.now();
    const fileSystems = await details.readFileSystems();
    const cgroups: MeasuredCgroup[] = [];
    const add = (place: Place, disks: readonly FileSystemDetails[] = []): void => {
      const measured = this.#measure(place, disks);
      if (measured !== undefined) cgroups.push(measured);
    };
    let [turnAtMs, inTurn] = [clock.now(), 0];
    add(toPlace(toBareLabels(ROOT)), fileSystems);
    for (const place of this.#findPlaces(toIndex(listed))) {
      if (inTurn === CGROUPS_PER_TURN || clock.now() - turnAtMs > TURN_MS) {
        await sleep(clock, 0);
        [turnAtMs, inTurn] = [clock.now(), 0];
      }
      add(place);
      inTurn++;
    }
    return { atMs, cgroups, machine: details.readMachineDetails(), families: undefined };
  }

  /** The machine, and what the runtime says of the rest. */
  toRuntimeReading(families: readonly MetricFamily[]): DetailsReading {
    const { clock, details } = this.#parts;
    return { atMs: clock.now(), cgroups: [], machine: details.readMachineDetails(), families };
  }

  #measure(
    { labels, createdAtMs, isSandbox }: Place,
    fileSystems: readonly FileSystemDetails[],
  ): MeasuredCgroup | undefined {
    const { details: reader, cgroupStats } = this.#parts;
    const { id } = labels;
    const details = reader.readDetails(id);
    if (details === undefined) return undefined;
    const startedAtMs = createdAtMs ?? cgroupStats.readCreation(id) ?? 0;
    let interfaces: readonly InterfaceDetails[] = [];
    if (id === ROOT) interfaces = reader.readInterfaceDetails('machine');
    else if (isSandbox) interfaces = reader.readInterfaceDetails({ cgroup: id });
    const shown = interfaces.filter(({ name }) => isShownInterface(name));
    return { labels, startedAtMs, details, interfaces: shown, fileSystems };
  }

  #findPlaces(index: Index): Place[] {
    const { systemCgroups, cgroupStats } = this.#parts;
    const own = systemCgroups.flatMap(({ name, path }) => {
      const found = path === 'own' ? cgroupStats.findOwnCgroup() : path;
      return name === 'pods' || found === undefined ? [] : [toPlace(toBareLabels(found))];
    });
    return [...own, ...this.#findPodPlaces(index)];
  }

  /** All pods, the two classes that have a cgroup, and what is right below each of them. */
  #findPodPlaces(index: Index): Place[] {
    const { cgroupRoot, cgroupDriver, cgroupsPerQos } = this.#parts.node;
    if (!cgroupsPerQos) return [];
    const paths = [
      podsCgroupName(cgroupRoot),
      qosCgroupName(cgroupRoot, 'Burstable'),
      qosCgroupName(cgroupRoot, 'BestEffort'),
    ].map((name) => toCgroupPath(name, cgroupDriver));
    return paths.flatMap((path) => [toPlace(toBareLabels(path)), ...this.#findPods(path, index)]);
  }

  #findPods(parent: string, index: Index): Place[] {
    const { cgroupStats, node } = this.#parts;
    return cgroupStats.listCgroups(parent).flatMap((name) => {
      const path = `${parent}/${name}`;
      const uid = podUidOfCgroup(parseCgroupPath(path, node.cgroupDriver));
      if (uid === undefined) return [];
      return [toPlace(toPodLabels(path, index.byPod.get(uid))), ...this.#findContainers(path, index)];
    });
  }

  #findContainers(parent: string, index: Index): Place[] {
    const { cgroupStats, readPod } = this.#parts;
    return cgroupStats.listCgroups(parent).flatMap((name): Place[] => {
      const path = `${parent}/${name}`;
      const id = toContainerIdOfCgroup(name);
      const sandbox = index.sandboxes.get(id);
      if (sandbox !== undefined) {
        const labels = toSandboxLabels(path, sandbox, index.sandboxImage);
        return [{ labels, createdAtMs: sandbox.createdAtMs, isSandbox: true }];
      }
      const container = index.containers.get(id);
      if (container === undefined) return [];
      const pod = readPod(container.podUid);
      const labels = toContainerLabels(path, container, index.byPod.get(container.podUid), pod);
      return [{ labels, createdAtMs: container.createdAtMs, isSandbox: false }];
    });
  }
}

function toPlace(labels: CgroupLabels): Place {
  return { labels, createdAtMs: undefined, isSandbox: false };
}

function toIndex({ sandboxes, containers, sandboxImage }: ListedPods): Index {
  return {
    sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.id, sandbox])),
    byPod: new Map(sandboxes.map((sandbox) => [sandbox.podUid, sandbox])),
    containers: new Map(containers.map((container) => [container.id, container])),
    sandboxImage,
  };
}
