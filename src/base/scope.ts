/**
 * A lifetime. Everything long-lived (loops, timers, sockets) belongs to a
 * scope; closing it aborts its signal, closes children and releases what was
 * added, newest first. Open scopes are counted so that a test can assert
 * nothing leaked.
 *
 *   open ──close()──► closing (signal aborted) ──all released──► closed
 */

type Release = () => void | Promise<void>;

/** Wrapped, so that the same function deferred twice runs twice and one of the two can be forgotten. */
interface Entry {
  readonly release: Release;
}

const open = new Set<Scope>();

export class Scope implements AsyncDisposable {
  readonly name: string;
  readonly #abort = new AbortController();
  /** In order of registration. */
  readonly #entries = new Set<Entry>();
  /** Releases registered while closing: already running, waited for by the close. */
  readonly #late: Promise<void>[] = [];
  #forget: () => void = () => {};
  #closing: Promise<void> | undefined;

  private constructor(name: string) {
    this.name = name;
    open.add(this);
  }

  /** A scope that nothing else will close. */
  static root(name: string): Scope {
    return new Scope(name);
  }

  /** Names of all scopes not closed yet: the leak check at the end of a test suite. */
  static openNames(): string[] {
    return [...open].map((scope) => scope.name).sort();
  }

  /** Aborts when the scope starts to close. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** A scope that closes before this one does. */
  child(name: string): Scope {
    const child = new Scope(`${this.name}/${name}`);
    child.#forget = this.#register(() => child.close());
    return child;
  }

  /**
   * Registers work for the close, run newest first. On a closing scope it
   * runs at once and the close still waits for it; on a closed one it runs at
   * once and a failure surfaces as an unhandled rejection.
   */
  defer(release: Release): void {
    this.#register(release);
  }

  /** Registers a disposable and returns it. */
  use<T extends Disposable>(resource: T): T {
    this.defer(() => resource[Symbol.dispose]());
    return resource;
  }

  /**
   * Starts a loop that ends when the scope closes; close waits for it. A
   * failure is handed to `onError`: a loop that dies silently is a bug. The
   * loop must not wait for the close of its own scope.
   */
  run(loop: (stop: AbortSignal) => Promise<void>, onError: (error: unknown) => void): void {
    const started = async (): Promise<void> => loop(this.signal);
    const done = started().catch(onError);
    const forget = this.#register(() => done);
    // A long-lived scope that runs many short tasks must not remember them all;
    // if onError itself throws, the entry stays and the close reports it.
    void done.then(forget);
  }

  /**
   * Aborts the signal, then releases everything newest first. Safe to call
   * twice; rejects with all failures after everything was tried.
   */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      // Set before the first release or abort listener runs: either may come back here.
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#closing = promise;
      this.#close().then(resolve, reject);
    }
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns a function that undoes the registration. */
  #register(release: Release): () => void {
    if (this.#closing === undefined) {
      const entry: Entry = { release };
      this.#entries.add(entry);
      return () => void this.#entries.delete(entry);
    }
    const running = runRelease(release);
    // The close collects the failure; once closed it is unhandled and Node reports it.
    if (open.has(this)) this.#late.push(running);
    return () => {};
  }

  async #close(): Promise<void> {
    this.#abort.abort(new Error(`scope "${this.name}" closed`));
    const failures: unknown[] = [];
    for (const entry of [...this.#entries].reverse()) {
      await runRelease(entry.release).catch((error: unknown) => failures.push(error));
    }
    this.#entries.clear();
    while (this.#late.length > 0) {
      const settled = await Promise.allSettled(this.#late.splice(0));
      for (const result of settled) if (result.status === 'rejected') failures.push(result.reason);
    }
    this.#forget();
    open.delete(this);
    if (failures.length > 0) throw new AggregateError(failures, `closing scope "${this.name}" failed`);
  }
}

async function runRelease(release: Release): Promise<void> {
  await release();
}
