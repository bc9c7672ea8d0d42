/**
 * The mount table in memory, on the fake disk: a mounted directory is a mount
 * point there, which removeTree refuses; what was in a mount goes with it.
 * Mounts outlive the agent through `connect(life)`, but not a reboot.
 */
import { AgentError } from '../../src/base/errors.ts';
import type { Mounter, MountRequest } from '../../src/ports/host/mounter.ts';
import { AgentLife, never } from './agent-life.ts';
import type { FakeDisk } from './fake-files.ts';
import { StorageFaults } from './storage-faults.ts';

/** Target to what is mounted there. */
export type FakeMounts = Map<string, MountRequest | { readonly descriptor: number }>;

class MounterConnection implements Mounter {
  readonly disk: FakeDisk;
  readonly mounts: FakeMounts;
  readonly faults: StorageFaults;
  readonly #life: AgentLife;

  constructor(disk: FakeDisk, mounts: FakeMounts, faults: StorageFaults, life: AgentLife) {
    this.disk = disk;
    this.mounts = mounts;
    this.faults = faults;
    this.#life = life;
  }

  mountsBelow(path: string): Promise<string[]> {
    return this.#do('mountsBelow', path, false, () => {
      const found = [...this.mounts.keys()].filter((at) => at === path || at.startsWith(`${path}/`));
      return found.sort();
    });
  }

  mount(request: MountRequest): Promise<void> {
    return this.#do('mount', request.target, true, () => this.#add(request.target, request));
  }

  bind(descriptor: number, target: string): Promise<void> {
    return this.#do('bind', target, true, () => this.#add(target, { descriptor }));
  }

  remount(target: string): Promise<void> {
    return this.#do('remount', target, true, () => {
      if (!this.mounts.has(target)) throw new AgentError('not-found', `cannot remount "${target}"`);
    });
  }

  /** As after a start of the agent: it knows of none. */
  async unmountMemory(): Promise<boolean> {
    return false;
  }

  unmount(target: string): Promise<void> {
    return this.#do('unmount', target, false, () => {
      const inner = [...this.mounts.keys()].find((at) => at.startsWith(`${target}/`));
      if (inner !== undefined)
        throw new AgentError('unavailable', `cannot unmount "${target}": "${inner}" is in it`);
      if (this.mounts.delete(target)) this.#setMountPoint(target, false);
    });
  }

  #add(target: string, mount: MountRequest | { readonly descriptor: number }): void {
    if (this.mounts.has(target)) throw new Error(`something is mounted at "${target}" already`);
    this.#setMountPoint(target, true);
    this.mounts.set(target, mount);
  }

  #setMountPoint(target: string, mountPoint: boolean): void {
    const entry = this.disk.entries.get(target);
    if (entry?.kind !== 'directory')
      throw new AgentError('not-found', `cannot mount at "${target}": there is no directory`);
    for (const path of [...this.disk.entries.keys()])
      if (path.startsWith(`${target}/`)) this.disk.entries.delete(path);
    this.disk.entries.set(target, { ...entry, mountPoint });
  }

  #do<T>(op: string, path: string, writes: boolean, effect: () => T): Promise<T> {
    if (!this.#life.alive) return never();
    return this.#life.guard(this.faults.around(op, path, writes, effect));
  }
}

export class FakeMounter extends MounterConnection {
  constructor(disk: FakeDisk) {
    super(disk, new Map(), new StorageFaults(), new AgentLife());
  }

  /** The same mounts as seen by one life of the agent. */
  connect(life: AgentLife): Mounter {
    return new MounterConnection(this.disk, this.mounts, this.faults, life);
  }

  /** Mounts are gone; the directories they were on stay. */
  reboot(): void {
    for (const target of this.mounts.keys()) {
      const entry = this.disk.entries.get(target);
      if (entry?.kind === 'directory') this.disk.entries.set(target, { ...entry, mountPoint: false });
    }
    this.mounts.clear();
  }
}
