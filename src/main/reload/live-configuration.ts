/**
 * The configuration as it is in force now. A reload replaces it; what was built
 * from it looks through a view, so that the next look sees the new values.
 *
 * Invariants: one writer, the reloader; what a view shows is computed once per
 * configuration, so that it is the same object until the next reload.
 */
import { isDeepStrictEqual } from 'node:util';
import { Emitter } from '../../base/async/emitter.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';

export class LiveConfiguration {
  readonly #changed = new Emitter();
  #current: LoadedConfiguration;

  constructor(loaded: LoadedConfiguration) {
    this.#current = loaded;
  }

  get current(): LoadedConfiguration {
    return this.#current;
  }

  /** Emits after each reload that changed something. */
  get changed(): Pick<Emitter, 'subscribe'> {
    return this.#changed;
  }

  replace(loaded: LoadedConfiguration): void {
    this.#current = loaded;
    this.#changed.emit();
  }

  /** Reads `compute` of the current configuration. */
  select<T>(compute: (loaded: LoadedConfiguration) => T): () => T {
    let seen = this.#current;
    let value = compute(seen);
    return () => {
      if (seen !== this.#current) {
        seen = this.#current;
        value = compute(seen);
      }
      return value;
    };
  }

  /**
   * An object with the fields that `compute` gives at the start, each showing
   * its value of now. Its holder must not copy the fields, and may compare them:
   * a value that a reload left alone is the same object after it.
   */
  view<T extends object>(compute: (loaded: LoadedConfiguration) => T): T {
    let last: T | undefined;
    const read = this.select((loaded) => {
      last = withKept(last, compute(loaded));
      return last;
    });
    const fields = Object.keys(read()).map((key) => [
      key,
      { enumerable: true, get: () => read()[key as keyof T] },
    ]);
    return Object.defineProperties({}, Object.fromEntries(fields)) as T;
  }
}

function withKept<T extends object>(before: T | undefined, now: T): T {
  if (before === undefined) return now;
  const fields = Object.entries(now).map(([name, value]) => {
    const known = before[name as keyof T];
    return [name, isDeepStrictEqual(known, value) ? known : value];
  });
  return Object.fromEntries(fields) as T;
}
