/** Pod cgroups in memory; they outlive the agent through `connect(life)`. */
import type { CgroupTree } from '../../src/adapters/linux/cgroup/cgroups.ts';
import { AgentError } from '../../src/base/errors.ts';
import type { CgroupValues } from '../../src/core/resources/cgroup-values.ts';
import type { CgroupReading } from '../../src/core/resources/plan-resize.ts';
import type { CgroupRefusal, EnsuredCgroup, PodCgroups } from '../../src/ports/host/cgroups.ts';
import { AgentLife, never } from './agent-life.ts';
import { StorageFaults } from './storage-faults.ts';

interface CgroupState {
  readonly paths: Set<string>;
  readonly values: Map<string, CgroupValues>;
  readonly refusals: Map<string, readonly CgroupRefusal[]>;
  readonly busy: Set<string>;
  readonly usages: Map<string, number>;
  readonly pids: Map<string, readonly number[]>;
  readonly lacking: Set<string>;
}

class CgroupConnection implements CgroupTree {
  readonly faults: StorageFaults;
  readonly paths: Set<string>;
  /** What was written last, by path. */
  readonly values: Map<string, CgroupValues>;
  /** Answers of `apply`, by path. */
  readonly refusals: Map<string, readonly CgroupRefusal[]>;
  /** Cgroups with processes that cannot be killed: remove refuses those and their parents. */
  readonly busy: Set<string>;
  /** Bytes of memory in use, by path; 0 where nothing is said. */
  readonly usages: Map<string, number>;
  /** Processes right in a cgroup, by path. */
  readonly pids: Map<string, readonly number[]>;
  /** Cgroups that others made: there, but complete only once one of ours has been made beside them. */
  readonly lacking: Set<string>;
  readonly #life: AgentLife;

  constructor(state: CgroupState, faults: StorageFaults, life: AgentLife) {
    this.paths = state.paths;
    this.values = state.values;
    this.refusals = state.refusals;
    this.busy = state.busy;
    this.usages = state.usages;
    this.pids = state.pids;
    this.lacking = state.lacking;
    this.faults = faults;
    this.#life = life;
  }

  ensure(path: string): Promise<EnsuredCgroup> {
    return this.#do('ensure', path, true, () => {
      const hadParent = this.isThere(path.slice(0, path.lastIndexOf('/')));
      this.paths.add(path);
      // The root has handed its controllers down to all.
      this.lacking.clear();
      return { warnings: [], hadParent };
    });
  }

  apply(path: string, values: CgroupValues): Promise<readonly CgroupRefusal[]> {
    return this.#do('apply', path, true, () => {
      this.values.set(path, { ...this.values.get(path), ...values });
      return this.refusals.get(path) ?? [];
    });
  }

  read(path: string): Promise<CgroupReading> {
    return this.#do('read', path, false, () => {
      if (!this.paths.has(path)) throw new AgentError('not-found', `cannot read cgroup "${path}"`);
      const { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes } = this.values.get(path) ?? {};
      const memoryUsageBytes = this.usages.get(path) ?? 0;
      return {
        ...(cpuShares !== undefined && { cpuShares }),
        ...(cpuQuotaUs !== undefined && { cpuQuotaUs }),
        ...(cpuPeriodUs !== undefined && { cpuPeriodUs }),
        ...(memoryLimitBytes !== undefined && { memoryLimitBytes }),
        memoryUsageBytes,
      };
    });
  }

  remove(path: string): Promise<void> {
    return this.#do('remove', path, false, () => {
      for (const other of this.busy)
        if (isWithin(other, path))
          throw new AgentError('unavailable', `cannot remove cgroup "${path}": "${other}" has processes`);
      for (const other of this.paths) if (isWithin(other, path)) this.paths.delete(other);
      for (const other of this.values.keys()) if (isWithin(other, path)) this.values.delete(other);
    });
  }

  exists(path: string): Promise<boolean> {
    return this.#do('exists', path, false, () => this.paths.has(path) && !this.lacking.has(path));
  }

  isThere(path: string): boolean {
    return [...this.paths].some((other) => isWithin(other, path));
  }

  kill(path: string): Promise<void> {
    return this.#do('kill', path, false, () => {
      for (const other of this.pids.keys()) if (isWithin(other, path)) this.pids.delete(other);
    });
  }

  children(path: string): Promise<readonly string[]> {
    return this.#do('children', path, false, () => {
      const below = [...this.paths].filter((other) => other.startsWith(`${path}/`));
      const names = below.map((other) => other.slice(path.length + 1).split('/')[0]);
      return [...new Set(names)].map((name) => `${path}/${name}`);
    });
  }

  processes(path: string): Promise<readonly number[]> {
    return this.#do('processes', path, false, () =>
      [...this.pids].flatMap(([other, pids]) => (isWithin(other, path) ? pids : [])),
    );
  }

  #do<T>(op: string, path: string, writes: boolean, effect: () => T): Promise<T> {
    if (!this.#life.alive) return never();
    return this.#life.guard(this.faults.around(op, path, writes, effect));
  }
}

export class FakeCgroups extends CgroupConnection {
  constructor() {
    const state = {
      paths: new Set<string>(),
      values: new Map(),
      refusals: new Map(),
      busy: new Set<string>(),
      usages: new Map<string, number>(),
      pids: new Map<string, readonly number[]>(),
      lacking: new Set<string>(),
    };
    super(state, new StorageFaults(), new AgentLife());
  }

  /** The same cgroups as seen by one life of the agent. */
  connect(life: AgentLife): PodCgroups {
    return new CgroupConnection(this, this.faults, life);
  }
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
