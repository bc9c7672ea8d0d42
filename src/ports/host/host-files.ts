/**
 * The directories and files the agent keeps for pods on the host. Paths are
 * absolute; the adapter never follows a symlink in a place a container can
 * write, and removes trees without crossing a mount point.
 */
export interface HostFiles {
  /** Creates the directory and missing parents; an existing one keeps its mode. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /**
   * Writes the whole file atomically with exactly this mode. A passing file means nothing after the machine has
   * started again, and is not waited for until it is on the disk.
   */
  writeFile(
    path: string,
    content: string,
    mode: number,
    options?: { readonly isPassing: true },
  ): Promise<void>;
  /** The text of a small file, or undefined when it does not exist. */
  readFile(path: string): Promise<string | undefined>;
  /** The last `maxBytes` bytes of a regular file, or undefined when it does not exist or is no regular file. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Cuts a regular file that is longer than `maxBytes`, in place; true when it did. Anything else is left alone. */
  cutFile(path: string, maxBytes: number): Promise<boolean>;
  /** Names in a directory; empty when it does not exist. */
  listDirectory(path: string): Promise<string[]>;
  /**
   * Calls `onChange` when an entry of the directory is written to, made, removed or renamed, or the watch dies with
   * its directory. Undefined when it cannot be watched. For directories of the agent's own: links are followed.
   */
  watchDirectory(path: string, onChange: () => void): Disposable | 'missing' | undefined;
  /** Removes a file, link or tree; nothing there is success. Rejects at a mount point. */
  removeTree(path: string): Promise<void>;
  /** Makes or replaces a symbolic link at `path`. */
  linkTo(target: string, path: string): Promise<void>;
  /** Where a symbolic link leads; undefined when there is none. */
  readLink(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}
