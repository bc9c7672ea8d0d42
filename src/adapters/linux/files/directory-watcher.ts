/**
 * Reports changes in a directory (inotify). It only wakes: the listener reads what changed.
 * A watch is bound to a directory, not to its path, so the owner calls `follow` before each look; that moves
 * the watch when another directory stands at the path now. A lost event costs latency, never correctness.
 */
import { stat } from 'node:fs/promises';
import { watchDirectory } from './watch-directory.ts';

export class DirectoryWatcher implements Disposable {
  readonly #onEvent: (name: string | undefined, cameOrWent: boolean) => void;
  #watch: Disposable | undefined;
  #followed = '';

  /** `onEvent` gets the name of the entry that changed, or undefined when it is not known, and if more than its content did. */
  constructor(onEvent: (name: string | undefined, cameOrWent: boolean) => void) {
    this.#onEvent = onEvent;
  }

  /** Watches what stands at `directory` now. False when it cannot be watched; nothing is watched then. */
  async follow(directory: string): Promise<boolean> {
    const identity = await identify(directory);
    if (identity === undefined) {
      this.#close();
      return false;
    }
    if (this.#watch !== undefined && identity === this.#followed) return true;
    this.#close();
    return this.#open(directory, identity);
  }

  [Symbol.dispose](): void {
    this.#close();
  }

  #open(directory: string, identity: string): boolean {
    try {
      this.#watch = watchDirectory(directory, {
        onEvent: this.#onEvent,
        onEnd: () => {
          this.#close();
          this.#onEvent(undefined, false);
        },
      });
      this.#followed = identity;
      return true;
    } catch {
      return false;
    }
  }

  #close(): void {
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
    this.#followed = '';
  }
}

/** Inode numbers are used again, so the birth time is part of a directory's identity. */
async function identify(directory: string): Promise<string | undefined> {
  try {
    const found = await stat(directory, { bigint: true });
    if (!found.isDirectory()) return undefined;
    const { dev, ino, birthtimeNs } = found;
    return `${directory}:${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
