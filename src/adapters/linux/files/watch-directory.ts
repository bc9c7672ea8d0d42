/**
 * Watches one directory (inotify): the directory that stands at the path now,
 * whatever happens to the path later. Nothing below its entries is reported.
 */
import { watch } from 'node:fs';
import { basename } from 'node:path';

export interface DirectoryListener {
  /**
   * An entry was written to, made, removed or renamed; many writes may be reported as one. `cameOrWent` for what is
   * more than a write.
   */
  readonly onEvent: (name: string, cameOrWent: boolean) => void;
  /** The directory was removed, moved or unmounted, or the watch has failed: it is disposed. Called once. */
  readonly onEnd: () => void;
}

/** Does not keep the process alive. Throws an errno error when the directory cannot be watched. */
export function watchDirectory(directory: string, { onEvent, onEnd }: DirectoryListener): Disposable {
  const self = basename(directory);
  const watcher = watch(directory, { persistent: false });
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    watcher.close();
  };
  const end = (): void => {
    if (!isOpen) return;
    close();
    onEnd();
  };
  watcher.on('change', (kind, name) => {
    if (!isOpen) return;
    // What happens to the directory itself comes under its own name. An entry of that name ends the watch too,
    // which costs its owner another one.
    if (kind === 'rename' && (name === null || name === self)) end();
    else onEvent(String(name), kind === 'rename');
  });
  watcher.on('error', end);
  return { [Symbol.dispose]: close };
}
