/** The files of one container's log in memory, by name; what writes to it goes on under whatever name it has. */
import { posix } from 'node:path';
import { AgentError } from '../../src/base/errors.ts';
import type { ContainerLogFiles, LogWatchListener } from '../../src/ports/runtime/container-log-files.ts';

export class FakeLogFiles implements ContainerLogFiles {
  readonly sizes = new Map<string, number>();
  /** Names that were asked about, in order. */
  readonly looks: string[] = [];
  /** Fails the next calls of an operation with this. */
  readonly failures = new Map<'compress' | 'rename', AgentError>();
  readonly #listeners = new Set<LogWatchListener>();
  /** Compressions wait for this. */
  beforeCompress: Promise<void> = Promise.resolve();
  /** Whether a log can be watched. */
  canWatch = true;
  /** Brings the sizes up to date before each look. */
  onLook: () => void = () => {};
  /** Called when a look has read its size. */
  afterLook: () => void = () => {};
  /** How often a watch was asked for. */
  watchCalls = 0;

  async size(log: string): Promise<number | undefined> {
    this.onLook();
    this.looks.push(log);
    const size = this.sizes.get(posix.basename(log));
    this.afterLook();
    return size;
  }

  /** How many watch the log now. */
  get watches(): number {
    return this.#listeners.size;
  }

  async watch(_log: string, { onWrite, onEnd }: LogWatchListener): Promise<Disposable | undefined> {
    this.watchCalls++;
    if (!this.canWatch) return undefined;
    const listener = { onWrite, onEnd };
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** As when its directory is removed or moved. */
  endWatches(): void {
    for (const listener of [...this.#listeners]) {
      this.#listeners.delete(listener);
      listener.onEnd();
    }
  }

  /** The runtime writes to the log. */
  write(bytes: number): void {
    this.sizes.set('0.log', (this.sizes.get('0.log') ?? 0) + bytes);
    this.reportWrite();
  }

  reportWrite(): void {
    for (const { onWrite } of this.#listeners) onWrite();
  }

  async listRotated(log: string): Promise<string[]> {
    return [...this.sizes.keys()].filter((name) => name.startsWith(`${posix.basename(log)}.`));
  }

  async remove(_log: string, name: string): Promise<void> {
    this.sizes.delete(name);
  }

  async rename(_log: string, from: string, to: string): Promise<void> {
    this.#fail('rename');
    const size = this.sizes.get(from);
    if (size === undefined) throw new AgentError('not-found', `no "${from}"`);
    if (this.sizes.has(to)) throw new AgentError('already-exists', `"${to}" exists`);
    this.sizes.delete(from);
    this.sizes.set(to, size);
  }

  async compress(_log: string, name: string): Promise<void> {
    await this.beforeCompress;
    this.#fail('compress');
    const size = this.sizes.get(name);
    if (size === undefined) throw new AgentError('not-found', `no "${name}"`);
    this.sizes.delete(name);
    this.sizes.set(`${name}.gz`, Math.ceil(size / 10));
  }

  #fail(operation: 'compress' | 'rename'): void {
    const failure = this.failures.get(operation);
    if (failure !== undefined) throw failure;
  }
}
