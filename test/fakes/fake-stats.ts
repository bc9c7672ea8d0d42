/** Numbers of the machine for tests: cgroups, file systems and the runtime, each a map that a test fills. */
import type { StatisticsPorts } from '../../src/agent/agent-ports.ts';
import type { Clock } from '../../src/base/async/clock.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { ContainerId } from '../../src/core/model/ids.ts';
import type {
  CgroupSample,
  FileSystemSample,
  FilesSample,
  InterfaceSample,
  RuntimeContainerSample,
} from '../../src/core/stats/samples.ts';

/** One directory of the hierarchy. */
export interface FakeCgroup {
  readonly sample: Omit<CgroupSample, 'atMs'>;
  readonly createdAtMs?: number;
  readonly processes?: number;
  readonly interfaces?: readonly InterfaceSample[];
}

const NOTHING: FilesSample = { usedBytes: 0, inodesUsed: 0 };

export class FakeStats {
  readonly cgroups = new Map<string, FakeCgroup>();
  /** By path; a path that is not there cannot be read. */
  readonly fileSystems = new Map<string, Omit<FileSystemSample, 'atMs'>>();
  readonly files = new Map<string, FilesSample>();
  readonly containers = new Map<ContainerId, RuntimeContainerSample>();
  bootAtMs = 0;
  /** How often the machine was read. */
  readings = 0;
  /** How often the runtime was asked to count. */
  runtimeCalls = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ports on these numbers, for one agent. */
  ports(): StatisticsPorts {
    return {
      cgroupStats: this.#cgroupStats(),
      fileSystems: {
        readFileSystem: async (path) => {
          const found = this.fileSystems.get(path);
          if (found === undefined) throw new AgentError('not-found', `cannot measure "${path}"`);
          return { atMs: this.#clock.now(), ...found };
        },
        measureFilesIn: async (directory) => this.files.get(directory) ?? NOTHING,
        measureFile: async (path) => this.files.get(path) ?? NOTHING,
      },
      containerStats: {
        listContainerStats: async () => {
          this.runtimeCalls++;
          return this.containers;
        },
      },
      loadDetails: () => Promise.reject(new Error('there are no details')),
      loadPodStats: undefined,
      systemCgroups: [],
    };
  }

  #cgroupStats(): StatisticsPorts['cgroupStats'] {
    const read = (path: string): CgroupSample | undefined => {
      const found = this.cgroups.get(path);
      return found && { atMs: this.#clock.now(), ...found.sample };
    };
    return {
      readMachine: () => {
        this.readings++;
        const root = read('/');
        return { atMs: this.#clock.now(), bootAtMs: this.bootAtMs, root, maxPid: 32768, tasks: 100 };
      },
      readCgroup: read,
      hasCgroup: (path) => this.cgroups.has(path),
      findOwnCgroup: () => undefined,
      readCreation: (path) => this.cgroups.get(path)?.createdAtMs,
      listCgroups: (path) =>
        [...this.cgroups.keys()]
          .filter((key) => key.startsWith(`${path}/`) && !key.slice(path.length + 1).includes('/'))
          .map((key) => key.slice(path.length + 1)),
      countProcesses: (path) => this.cgroups.get(path)?.processes ?? 0,
      readInterfaces: (of) => this.cgroups.get(of === 'machine' ? '/' : of.cgroup)?.interfaces ?? [],
    };
  }
}
