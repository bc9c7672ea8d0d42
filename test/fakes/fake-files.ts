/**
 * The host's files in memory. The disk outlives the agent: give each life of
 * it `connect(life)`; the FakeFiles itself serves tests with one agent.
 * Links are kept but not followed, except by readFile: that reads places the
 * agent owns.
 */
import { posix } from 'node:path';
import { AgentError } from '../../src/base/errors.ts';
import type { HostFiles } from '../../src/ports/host/host-files.ts';
import { AgentLife, never } from './agent-life.ts';
import { StorageFaults } from './storage-faults.ts';

export type FakeEntry =
  | { readonly kind: 'directory'; readonly mode: number; readonly mountPoint: boolean }
  | { readonly kind: 'file'; readonly mode: number; readonly content: string }
  | { readonly kind: 'link'; readonly target: string };

const MAY_NOT_BE_PLAIN = /\/[./]|\/$/;

const ROOT: FakeEntry = { kind: 'directory', mode: 0o755, mountPoint: true };

/** What is on the disk; everything here is synchronous and never fails by chance. */
export class FakeDisk {
  readonly entries = new Map<string, FakeEntry>([['/', ROOT]]);
  readonly watches = new Set<{ readonly directory: string; readonly onChange: () => void }>();

  makeDirectory(path: string, mode: number): void {
    const entry = this.entries.get(path);
    if (entry !== undefined && entry.kind !== 'directory')
      throw new AgentError('already-exists', `cannot make directory "${path}": a ${entry.kind} is there`);
    if (entry !== undefined) return;
    this.makeDirectory(posix.dirname(path), mode);
    this.entries.set(path, { kind: 'directory', mode, mountPoint: false });
    this.#reportChange(path);
  }

  put(path: string, entry: FakeEntry): void {
    if (this.entries.get(posix.dirname(path))?.kind !== 'directory')
      throw new AgentError('not-found', `cannot write "${path}": its directory does not exist`);
    if (this.entries.get(path)?.kind === 'directory')
      throw new AgentError('failed-precondition', `cannot write "${path}": a directory is there`);
    this.entries.set(path, entry);
    this.#reportChange(path);
  }

  #reportChange(path: string): void {
    if (this.watches.size === 0) return;
    const parent = posix.dirname(path);
    for (const { directory, onChange } of this.watches)
      if (directory === parent || directory === path) onChange();
  }

  /** The entry after following links at the end of the path; undefined when it leads nowhere. */
  follow(path: string, hops = 0): FakeEntry | undefined {
    const entry = this.entries.get(path);
    if (entry?.kind !== 'link' || hops > 40) return entry?.kind === 'link' ? undefined : entry;
    return this.follow(posix.resolve(posix.dirname(path), entry.target), hops + 1);
  }

  namesIn(path: string): string[] {
    if (this.entries.get(path)?.kind !== 'directory') return [];
    const inside = path === '/' ? path : `${path}/`;
    const names: string[] = [];
    for (const other of this.entries.keys()) {
      if (!other.startsWith(inside) || other === inside) continue;
      const name = other.slice(inside.length);
      if (!name.includes('/')) names.push(name);
    }
    return names.sort();
  }

  removeTree(path: string): void {
    // Only a directory has anything below it, and nothing is below what is not there.
    if (this.entries.get(path)?.kind !== 'directory') {
      this.entries.delete(path);
      return;
    }
    const below = `${path}/`;
    const inside: string[] = [];
    for (const other of this.entries.keys())
      if (other === path || other.startsWith(below)) inside.push(other);
    for (const other of inside) {
      const entry = this.entries.get(other);
      if (entry?.kind === 'directory' && entry.mountPoint)
        throw new AgentError('failed-precondition', `cannot remove "${path}": "${other}" is a mount point`);
    }
    for (const other of inside) {
      this.entries.delete(other);
      this.#reportChange(other);
    }
  }
}

class FilesConnection implements HostFiles {
  readonly disk: FakeDisk;
  readonly faults: StorageFaults;
  readonly #life: AgentLife;

  constructor(disk: FakeDisk, faults: StorageFaults, life: AgentLife) {
    this.disk = disk;
    this.faults = faults;
    this.#life = life;
  }

  makeDirectory(path: string, mode: number): Promise<void> {
    return this.#do('makeDirectory', path, true, (at) => this.disk.makeDirectory(at, mode));
  }

  writeFile(path: string, content: string, mode: number): Promise<void> {
    return this.#do('writeFile', path, true, (at) => this.disk.put(at, { kind: 'file', mode, content }));
  }

  readFile(path: string): Promise<string | undefined> {
    return this.#do('readFile', path, false, (at) => {
      const entry = this.disk.follow(at);
      if (entry?.kind === 'directory')
        throw new AgentError('failed-precondition', `cannot read "${at}": it is a directory`);
      return entry?.kind === 'file' ? entry.content : undefined;
    });
  }

  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
    return this.#do('readTail', path, false, (at) => {
      const entry = this.disk.entries.get(at);
      if (entry?.kind !== 'file') return undefined;
      const bytes = new TextEncoder().encode(entry.content);
      return bytes.slice(Math.max(0, bytes.length - maxBytes));
    });
  }

  cutFile(path: string, maxBytes: number): Promise<boolean> {
    return this.#do('cutFile', path, true, (at) => {
      const entry = this.disk.entries.get(at);
      if (entry?.kind !== 'file' || entry.content.length <= maxBytes) return false;
      this.disk.entries.set(at, { ...entry, content: entry.content.slice(0, maxBytes) });
      return true;
    });
  }

  listDirectory(path: string): Promise<string[]> {
    return this.#do('listDirectory', path, false, (at) => this.disk.namesIn(at));
  }

  watchDirectory(path: string, onChange: () => void): Disposable | 'missing' | undefined {
    if (!this.#life.alive) return undefined;
    const entry = this.disk.entries.get(path);
    if (entry?.kind !== 'directory') return entry === undefined ? 'missing' : undefined;
    const watch = { directory: path, onChange };
    this.disk.watches.add(watch);
    const kill = this.#life.onKill(() => this.disk.watches.delete(watch));
    return {
      [Symbol.dispose]: () => {
        kill[Symbol.dispose]();
        this.disk.watches.delete(watch);
      },
    };
  }

  removeTree(path: string): Promise<void> {
    return this.#do('removeTree', path, false, (at) => this.disk.removeTree(at));
  }

  linkTo(target: string, path: string): Promise<void> {
    return this.#do('linkTo', path, true, (at) => this.disk.put(at, { kind: 'link', target }));
  }

  readLink(path: string): Promise<string | undefined> {
    return this.#do('readLink', path, false, (at) => {
      const entry = this.disk.entries.get(at);
      return entry?.kind === 'link' ? entry.target : undefined;
    });
  }

  exists(path: string): Promise<boolean> {
    return this.#do('exists', path, false, (at) => this.disk.entries.has(at));
  }

  #do<T>(op: string, path: string, writes: boolean, effect: (path: string) => T): Promise<T> {
    if (!this.#life.alive) return never();
    if (!path.startsWith('/')) return Promise.reject(new Error(`"${path}" is not an absolute path`));
    const plain = MAY_NOT_BE_PLAIN.test(path) ? posix.resolve(path) : path;
    return this.#life.guard(this.faults.around(op, plain, writes, () => effect(plain)));
  }
}

/** A disk and a connection to it. */
export class FakeFiles extends FilesConnection {
  constructor() {
    super(new FakeDisk(), new StorageFaults(), new AgentLife());
  }

  /** The same disk as seen by one life of the agent. */
  connect(life: AgentLife): HostFiles {
    return new FilesConnection(this.disk, this.faults, life);
  }

  /** Turns a directory into a mount point, which removeTree refuses, or back. */
  setMountPoint(path: string, mountPoint: boolean): void {
    const entry = this.disk.entries.get(path);
    if (entry?.kind !== 'directory') throw new Error(`there is no directory "${path}"`);
    this.disk.entries.set(path, { ...entry, mountPoint });
  }
}
