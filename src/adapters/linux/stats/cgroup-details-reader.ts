/**
 * The port CgroupDetailsReader on cgroupfs, /proc and statfs(2). Cgroups are
 * the kernel's own memory and answer at once; file systems of servers, which
 * may not answer, are left out.
 */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/async/clock.ts';
import type {
  CgroupDetails,
  CgroupLimits,
  FileSystemDetails,
  InterfaceDetails,
  MachineDetails,
} from '../../../core/stats/cgroup-details.ts';
import type { CgroupDetailsReader } from '../../../ports/host/stats-reader.ts';
import type { CgroupLayout } from '../cgroup/cgroup-layout.ts';
import { countTasks, readTaskLimits, type TaskPlaces } from './count-tasks.ts';
import { DescriptorMemory } from './descriptor-memory.ts';
import { findPlaces, type Place, readFileSystems } from './machine-file-systems.ts';
import { type DiskNames, parseDiskstats, parseInterfaces } from './parse-details.ts';
import { readControl } from './read-control.ts';
import { readHierarchyDetails, readHierarchyLimits } from './read-hierarchy-details.ts';
import { readNetDev } from './read-interfaces.ts';
import { type ControllerDetails, readUnifiedDetails, readUnifiedLimits } from './read-unified-details.ts';

const ROOT = '/';
/** A resize shows in the limits after this at the latest. */
const LIMITS_AGE_MS = 30_000;

export interface LinuxCgroupDetailsParts {
  readonly layout: CgroupLayout;
  readonly clock: Clock;
  readonly machine: Omit<MachineDetails, 'physicalCores' | 'sockets'>;
  /** Mounts below these are of pods and not of the machine. */
  readonly podPlaces: readonly string[];
  /** Other places for tests. */
  readonly proc?: string;
  readonly sys?: string;
}

export class LinuxCgroupDetails implements CgroupDetailsReader {
  readonly #parts: LinuxCgroupDetailsParts;
  readonly #proc: string;
  readonly #limits = new Map<string, { readonly atMs: number; readonly limits: CgroupLimits }>();
  readonly #descriptors = new DescriptorMemory();
  #disks: DiskNames = new Map();
  #mounts = '';
  #places: readonly Place[] = [];
  #hasPressure: boolean | undefined;
  #machine: MachineDetails | undefined;

  constructor(parts: LinuxCgroupDetailsParts) {
    this.#parts = parts;
    this.#proc = parts.proc ?? '/proc';
  }

  readDetails(path: string): CgroupDetails | undefined {
    const directoryOf = (controller: string): string | undefined => this.#directoryOf(controller, path);
    const places = { proc: this.#proc, processes: directoryOf('cpu'), pids: directoryOf('pids') };
    const limits = this.#readLimits(path, directoryOf, places);
    const { cpu, memory, io } = this.#readControllers(path, directoryOf, limits);
    if (cpu === undefined && memory === undefined) {
      this.#limits.delete(path);
      return undefined;
    }
    const atMs = this.#parts.clock.now();
    const tasks = countTasks(places, (processes, count) =>
      this.#descriptors.read(path, { atMs, processes, usageNs: cpu?.usageNs }, count),
    );
    const details = { atMs, cpu, memory, limits, io, tasks };
    return path === ROOT ? withMachineLimits(details, this.#parts.machine) : details;
  }

  readInterfaceDetails(of: 'machine' | { readonly cgroup: string }): readonly InterfaceDetails[] {
    const directory = of === 'machine' ? undefined : this.#directoryOf('memory', of.cgroup);
    return parseInterfaces(readNetDev(this.#proc, of === 'machine' ? of : { ...of, directory }));
  }

  async readFileSystems(): Promise<readonly FileSystemDetails[]> {
    const diskstats = await readFile(join(this.#proc, 'diskstats'), 'utf8').catch(() => '');
    const { names, disks } = parseDiskstats(diskstats);
    // Cgroups are read after this, with the disks of the moment.
    this.#disks = names;
    const nowMs = this.#parts.clock.now();
    for (const [path, { atMs }] of this.#limits) if (nowMs - atMs >= LIMITS_AGE_MS) this.#limits.delete(path);
    this.#descriptors.forgetOld(nowMs);
    const mounts = await readFile(join(this.#proc, 'self/mountinfo'), 'utf8').catch(() => '');
    return readFileSystems(this.#findPlaces(mounts), disks);
  }

  readMachineDetails(): MachineDetails {
    this.#machine ??= { ...this.#parts.machine, ...readTopology(this.#parts.sys ?? '/sys') };
    return this.#machine;
  }

  /** Each pod adds lines to this text, which seldom changes. */
  #findPlaces(mounts: string): readonly Place[] {
    if (mounts !== this.#mounts) this.#places = findPlaces({ mounts, podPlaces: this.#parts.podPlaces });
    this.#mounts = mounts;
    return this.#places;
  }

  /** They seldom change, and are a third of all there is to read. */
  #readLimits(
    path: string,
    directoryOf: (controller: string) => string | undefined,
    places: TaskPlaces,
  ): CgroupLimits {
    const { layout, clock } = this.#parts;
    const nowMs = clock.now();
    const known = this.#limits.get(path);
    if (known !== undefined && nowMs >= known.atMs && nowMs - known.atMs < LIMITS_AGE_MS) return known.limits;
    const controllers =
      layout.version === 1 ? readHierarchyLimits(directoryOf) : readUnifiedLimits(`${layout.root}${path}`);
    const limits = { ...controllers, tasks: readTaskLimits(places, path === ROOT) };
    this.#limits.set(path, { atMs: nowMs, limits });
    return limits;
  }

  #readControllers(
    path: string,
    directoryOf: (controller: string) => string | undefined,
    { cpu }: CgroupLimits,
  ): ControllerDetails {
    const { layout } = this.#parts;
    if (layout.version === 1)
      return readHierarchyDetails(directoryOf, cpu?.quotaUs !== undefined, this.#disks);
    this.#hasPressure ??= readControl(join(layout.root, 'cpu.pressure')) !== undefined;
    return readUnifiedDetails(`${layout.root}${path}`, this.#hasPressure, this.#disks);
  }

  #directoryOf(controller: string, path: string): string | undefined {
    const { layout } = this.#parts;
    if (layout.version === 2) return `${layout.root}${path}`;
    const tree = layout.hierarchies.find(({ controllers }) => controllers.includes(controller));
    return tree && `${tree.directory}${path}`;
  }
}

/** The root cgroup may use the machine. */
function withMachineLimits(
  details: CgroupDetails,
  { memoryBytes, swapBytes }: LinuxCgroupDetailsParts['machine'],
): CgroupDetails {
  const memory = { bytes: memoryBytes, swapBytes, reservedBytes: 0 };
  return { ...details, limits: { ...details.limits, memory } };
}

/** Cores are counted by the package that they are in. A machine that does not say counts each CPU. */
function readTopology(sys: string): Pick<MachineDetails, 'physicalCores' | 'sockets'> {
  const directory = join(sys, 'devices/system/cpu');
  const sockets = new Set<string>();
  const cores = new Set<string>();
  let unknown = 0;
  for (const name of listNames(directory).filter((entry) => /^cpu\d+$/.test(entry))) {
    const read = (file: string): string | undefined =>
      readControl(join(directory, name, 'topology', file))?.trim();
    const [socket, core] = [read('physical_package_id'), read('core_id')];
    if (socket === undefined || core === undefined) unknown++;
    else cores.add(`${socket} ${core}`);
    sockets.add(socket ?? '0');
  }
  return { physicalCores: cores.size + unknown, sockets: sockets.size };
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
