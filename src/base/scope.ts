/**
 * A lifetime. Everything long-lived (loops, timers, sockets) belongs to a
 * scope; closing it aborts its signal, closes children and releases what was
 * added, newest first. Open scopes are counted so that a test can assert
 * nothing leaked.
 */

type Release = () => void | Promise<void>;

const open = new Set<Scope>();

export class Scope implements AsyncDisposable {
  readonly name: string;
  readonly #abort = new AbortController();
  readonly #parent: Scope | undefined;
  #releases: Release[] = [];
  #closing: Promise<void> | undefined;

  private constructor(name: string, parent: Scope | undefined) {
    this.name = name;
    this.#parent = parent;
    open.add(this);
  }

  /** A scope that nothing else will close. */
  static root(name: string): Scope {
    return new Scope(name, undefined);
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
    const child = new Scope(`${this.name}/${name}`, this);
    this.defer(child.#closeFromParent);
    return child;
  }

  /** Registers work for the close, run newest first. On a closing scope it runs at once. */
  defer(release: Release): void {
    if (this.#closing === undefined) this.#releases.push(release);
    else void release();
  }

  /** Registers a disposable and returns it. */
  use<T extends Disposable>(resource: T): T {
    this.defer(() => resource[Symbol.dispose]());
    return resource;
  }

  /**
   * Starts a loop that ends when the scope closes; close waits for it. A
   * rejection is handed to `onError`: a loop that dies silently is a bug.
   */
  run(loop: (stop: AbortSignal) => Promise<void>, onError: (error: unknown) => void): void {
    const done = loop(this.signal).catch(onError);
    this.defer(() => done);
  }

  /** Aborts the signal, then releases everything newest first. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  readonly #closeFromParent = (): Promise<void> => this.close();

  async #close(): Promise<void> {
    this.#abort.abort(new Error(`scope "${this.name}" closed`));
    const failures: unknown[] = [];
    for (const release of this.#releases.toReversed()) {
      try {
        await release();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#releases = [];
    this.#forgetInParent();
    open.delete(this);
    if (failures.length > 0) throw new AggregateError(failures, `closing scope "${this.name}" failed`);
  }

  #forgetInParent(): void {
    const parent = this.#parent;
    if (parent === undefined || parent.#closing !== undefined) return;
    parent.#releases = parent.#releases.filter((release) => release !== this.#closeFromParent);
  }
}
