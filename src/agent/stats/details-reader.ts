/**
 * Reads every cgroup that the node answers for, with all there is to know of
 * each: the machine, the agent's own cgroups, and those of pods, sandboxes and
 * containers. What a cgroup is to Kubernetes does not change, so the runtime is
 * asked only when there is one that was not there before.
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
  FileSystemDetails,
  InterfaceDetails,
  MeasuredCgroup,
} from '../../core/stats/cgroup-details.ts';
import {
  toBareLabels,
  toContainerIdOfCgroup,
  toContainerSeriesLabels,
  toPodLabels,
  toSandboxLabels,
} from '../../core/stats/cgroup-labels.ts';
import type { DetailsReading } from '../../core/stats/series/details-reading.ts';
import { SeriesTable } from '../../core/stats/series/series-table.ts';
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

/** A cgroup that was found; without a pod for one that holds others. */
interface FoundCgroup {
  readonly path: string;
  readonly podUid?: string;
  /** Of the container or sandbox; without it for the cgroup of the pod itself. */
  readonly id?: string;
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
  /** Those of the last reading that the runtime knew, by path: the runtime may be away when they are read again. */
  #known: ReadonlyMap<string, Place> = new Map();

  constructor(parts: DetailsReaderParts) {
    this.#parts = parts;
  }

  /** `list` asks the runtime. */
  async read(list: () => Promise<ListedPods>): Promise<DetailsReading> {
    const { clock, details } = this.#parts;
    const places = await this.#findPlaces(list);
    const atMs = clock.now();
    const fileSystems = await details.readFileSystems();
    const series = new SeriesTable(places.length + 1);
    const add = (place: Place, disks: readonly FileSystemDetails[] = []): void => {
      const measured = this.#measure(place, disks);
      if (measured !== undefined) series.add(measured);
    };
    let [turnAtMs, inTurn] = [clock.steady(), 0];
    add(toPlace(toBareLabels(ROOT)), fileSystems);
    for (const place of places) {
      if (inTurn === CGROUPS_PER_TURN || clock.steady() - turnAtMs > TURN_MS) {
        await sleep(clock, 0);
        [turnAtMs, inTurn] = [clock.steady(), 0];
      }
      add(place);
      inTurn++;
    }
    return { atMs, series, machine: details.readMachineDetails(), families: undefined };
  }

  /** The machine, and what the runtime says of the rest. */
  toRuntimeReading(families: readonly MetricFamily[]): DetailsReading {
    const { clock, details } = this.#parts;
    return { atMs: clock.now(), series: new SeriesTable(), machine: details.readMachineDetails(), families };
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

  async #findPlaces(list: () => Promise<ListedPods>): Promise<readonly Place[]> {
    const found = [...this.#findOwn(), ...this.#findPods()];
    const isNew = ({ path, podUid }: FoundCgroup): boolean => podUid !== undefined && !this.#known.has(path);
    const index = toIndex(found.some(isNew) ? await list() : NOTHING_LISTED);
    const known = new Map<string, Place>();
    const places = found.flatMap((cgroup) => {
      const place = this.#known.get(cgroup.path) ?? this.#toListedPlace(cgroup, index);
      if (place !== undefined && isWhole(place)) known.set(cgroup.path, place);
      // A child that the runtime does not know is another's; a pod may be about to get its sandbox.
      return place ?? (cgroup.id === undefined ? toPlace(toBareLabels(cgroup.path)) : []);
    });
    this.#known = known;
    return places;
  }

  #findOwn(): FoundCgroup[] {
    const { systemCgroups, cgroupStats } = this.#parts;
    return systemCgroups.flatMap(({ name, path: given }) => {
      const path = given === 'own' ? cgroupStats.findOwnCgroup() : given;
      return name === 'pods' || path === undefined ? [] : { path };
    });
  }

  /** All pods, the two classes that have a cgroup, and what is right below each of them. */
  #findPods(): FoundCgroup[] {
    const { cgroupStats, node } = this.#parts;
    const { cgroupRoot, cgroupDriver, cgroupsPerQos } = node;
    if (!cgroupsPerQos) return [];
    const parents = [
      podsCgroupName(cgroupRoot),
      qosCgroupName(cgroupRoot, 'Burstable'),
      qosCgroupName(cgroupRoot, 'BestEffort'),
    ].map((name) => toCgroupPath(name, cgroupDriver));
    return parents.flatMap((parent) => [
      { path: parent },
      ...cgroupStats.listCgroups(parent).flatMap((name) => this.#findPod(`${parent}/${name}`)),
    ]);
  }

  #findPod(path: string): FoundCgroup[] {
    const { cgroupStats, node } = this.#parts;
    const podUid = podUidOfCgroup(parseCgroupPath(path, node.cgroupDriver));
    if (podUid === undefined) return [];
    const below = cgroupStats.listCgroups(path);
    return [
      { path, podUid },
      ...below.map((name) => ({ path: `${path}/${name}`, podUid, id: toContainerIdOfCgroup(name) })),
    ];
  }

  /** Undefined for a cgroup that the runtime says nothing of. */
  #toListedPlace({ path, podUid, id }: FoundCgroup, index: Index): Place | undefined {
    if (podUid === undefined) return undefined;
    const ofPod = index.byPod.get(podUid);
    if (id === undefined) return ofPod && toPlace(toPodLabels(path, ofPod));
    const sandbox = index.sandboxes.get(id);
    if (sandbox !== undefined) {
      const labels = toSandboxLabels(path, sandbox, index.sandboxImage);
      return { labels, createdAtMs: sandbox.createdAtMs, isSandbox: true };
    }
    const container = index.containers.get(id);
    if (container === undefined) return undefined;
    const labels = toContainerSeriesLabels(path, container, ofPod, this.#parts.readPod(container.podUid));
    return { labels, createdAtMs: container.createdAtMs, isSandbox: false };
  }
}

const NOTHING_LISTED: ListedPods = { sandboxes: [], containers: [], sandboxImage: '' };

function toPlace(labels: CgroupLabels): Place {
  return { labels, createdAtMs: undefined, isSandbox: false };
}

/** False while the runtime may have more to say: of a container without its sandbox, of a sandbox without its image. */
function isWhole({ labels, isSandbox }: Place): boolean {
  return labels.pod !== '' && (labels.image !== '' || !isSandbox);
}

function toIndex({ sandboxes, containers, sandboxImage }: ListedPods): Index {
  return {
    sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.id, sandbox])),
    byPod: new Map(sandboxes.map((sandbox) => [sandbox.podUid, sandbox])),
    containers: new Map(containers.map((container) => [container.id, container])),
    sandboxImage,
  };
}
