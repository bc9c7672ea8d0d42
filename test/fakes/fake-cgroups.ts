/** Pod cgroups in memory; they outlive the agent through `connect(life)`. */
import { AgentError } from '../../src/base/errors.ts';
import type { PodCgroups } from '../../src/ports/cgroups.ts';
import { AgentLife, never } from './agent-life.ts';
import { StorageFaults } from './storage-faults.ts';

class CgroupConnection implements PodCgroups {
  readonly faults: StorageFaults;
  readonly paths: Set<string>;
  /** Cgroups with processes in them: remove refuses those and their parents. */
  readonly busy: Set<string>;
  readonly #life: AgentLife;

  constructor(paths: Set<string>, busy: Set<string>, faults: StorageFaults, life: AgentLife) {
    this.paths = paths;
    this.busy = busy;
    this.faults = faults;
    this.#life = life;
  }

  ensure(path: string): Promise<readonly string[]> {
    return this.#do('ensure', path, true, () => {
      this.paths.add(path);
      return [];
    });
  }

  remove(path: string): Promise<void> {
    return this.#do('remove', path, false, () => {
      for (const other of this.busy)
        if (isWithin(other, path))
          throw new AgentError('unavailable', `cannot remove cgroup "${path}": "${other}" has processes`);
      for (const other of this.paths) if (isWithin(other, path)) this.paths.delete(other);
    });
  }

  exists(path: string): Promise<boolean> {
    return this.#do('exists', path, false, () => this.paths.has(path));
  }

  #do<T>(op: string, path: string, writes: boolean, effect: () => T): Promise<T> {
    if (!this.#life.alive) return never();
    return this.#life.guard(this.faults.around(op, path, writes, effect));
  }
}

export class FakeCgroups extends CgroupConnection {
  constructor() {
    super(new Set(), new Set(), new StorageFaults(), new AgentLife());
  }

  /** The same cgroups as seen by one life of the agent. */
  connect(life: AgentLife): PodCgroups {
    return new CgroupConnection(this.paths, this.busy, this.faults, life);
  }
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
