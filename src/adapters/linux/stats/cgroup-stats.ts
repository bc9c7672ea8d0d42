/**
 * The port CgroupStats on cgroupfs and /proc. Everything it reads is the
 * kernel's own memory, so it answers at once and waits for nothing.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../base/async/clock.ts';
import type { CgroupSample, InterfaceSample, MachineSample } from '../../../core/stats/samples.ts';
import { withMachineLimits } from '../../../core/stats/to-node-stats.ts';
import type { CgroupStats } from '../../../ports/host/stats-reader.ts';
import type { CgroupLayout } from '../cgroup/cgroup-layout.ts';
import {
  parseBootTime,
  parseMemoryTotals,
  parseNetDev,
  parseNumber,
  parseOwnCgroup,
  parseTasks,
} from './parse-stats.ts';
import { readHierarchyNumbers, readUnifiedNumbers } from './read-cgroup.ts';
import { countLines, readControl } from './read-control.ts';
import { readNetDev } from './read-interfaces.ts';

const PROCESSES = 'cgroup.procs';

export interface LinuxCgroupStatsParts {
  readonly layout: CgroupLayout;
  readonly clock: Clock;
  /** Another place for tests. */
  readonly proc?: string;
}

export class LinuxCgroupStats implements CgroupStats {
  readonly #layout: CgroupLayout;
  readonly #clock: Clock;
  readonly #proc: string;
  #bootAtMs: number | undefined;
  #hasPressure: boolean | undefined;

  constructor({ layout, clock, proc = '/proc' }: LinuxCgroupStatsParts) {
    this.#layout = layout;
    this.#clock = clock;
    this.#proc = proc;
  }

  readMachine(): MachineSample {
    const read = (file: string): string => readControl(join(this.#proc, file)) ?? '';
    const root = this.readCgroup('/');
    const limits = ['pid_max', 'threads-max'].flatMap(
      (file) => parseNumber(read(`sys/kernel/${file}`)) ?? [],
    );
    return {
      atMs: this.#clock.now(),
      bootAtMs: this.#readBootTime(),
      root: root && withMachineLimits(root, parseMemoryTotals(read('meminfo'))),
      maxPid: limits.length === 0 ? undefined : Math.min(...limits),
      tasks: parseTasks(read('loadavg')),
    };
  }

  readCgroup(path: string): CgroupSample | undefined {
    const layout = this.#layout;
    const numbers =
      layout.version === 2
        ? readUnifiedNumbers(`${layout.root}${path}`, this.#countsPressure(layout.root))
        : readHierarchyNumbers(this.#directoryOf('cpuacct', path), this.#directoryOf('memory', path));
    // Only one without numbers has to be looked for.
    if (numbers.cpu === undefined && numbers.memory === undefined && !this.hasCgroup(path)) return undefined;
    return { atMs: this.#clock.now(), ...numbers };
  }

  hasCgroup(path: string): boolean {
    const directory = this.#directoryOf('memory', path);
    return directory !== undefined && statOrNone(directory)?.isDirectory() === true;
  }

  findOwnCgroup(): string | undefined {
    const found = parseOwnCgroup(readControl(join(this.#proc, 'self/cgroup')) ?? '', this.#layout.version);
    return found === '/' ? undefined : found;
  }

  readCreation(path: string): number | undefined {
    const directory = this.#directoryOf('memory', path);
    if (directory === undefined) return undefined;
    const times = [directory, `${directory}/cgroup.events`].flatMap(
      (file) => statOrNone(file)?.mtimeMs ?? [],
    );
    return times.length === 0 ? undefined : Math.max(this.#readBootTime(), Math.min(...times));
  }

  listCgroups(path: string): readonly string[] {
    // Of the trees that version 1 has this one has the fewest files to pass over.
    const directory = this.#directoryOf('cpuacct', path);
    if (directory === undefined) return [];
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    } catch {
      return [];
    }
  }

  countProcesses(path: string): number {
    const directory = this.#directoryOf('memory', path);
    return directory === undefined ? 0 : countLines(`${directory}/${PROCESSES}`);
  }

  readInterfaces(of: 'machine' | { readonly cgroup: string }): readonly InterfaceSample[] {
    const place =
      of === 'machine' ? of : { cgroup: of.cgroup, directory: this.#directoryOf('memory', of.cgroup) };
    return parseNetDev(readNetDev(this.#proc, place));
  }

  /** Does not change, and the file is long. */
  #readBootTime(): number {
    this.#bootAtMs ??= parseBootTime(readControl(join(this.#proc, 'stat')) ?? '');
    return this.#bootAtMs ?? 0;
  }

  /** A kernel may be built or started without. */
  #countsPressure(root: string): boolean {
    this.#hasPressure ??= readControl(join(root, 'cpu.pressure')) !== undefined;
    return this.#hasPressure;
  }

  #directoryOf(controller: string, path: string): string | undefined {
    const layout = this.#layout;
    if (layout.version === 2) return `${layout.root}${path}`;
    const tree = layout.hierarchies.find(({ controllers }) => controllers.includes(controller));
    return tree && `${tree.directory}${path}`;
  }
}

function statOrNone(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
