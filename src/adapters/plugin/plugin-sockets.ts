/**
 * The sockets in the plugin registry, sub-directories included. Names with a
 * leading dot are still being set up by their plugin and are ignored.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FoundSockets {
  /** The identity of the socket by path; a re-created socket has another identity. */
  readonly sockets: ReadonlyMap<string, string>;
  readonly directories: readonly string[];
}

/** `onDirectory` is called for every directory before its entries are read, so that no later change is missed. */
export async function findPluginSockets(
  root: string,
  onDirectory: (path: string) => Promise<void>,
): Promise<FoundSockets> {
  const sockets = new Map<string, string>();
  const directories: string[] = [];
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    directories.push(path);
    await onDirectory(path);
    for (const name of await readdir(path).catch(() => [])) {
      if (name.startsWith('.')) continue;
      const place = join(path, name);
      const facts = await lstat(place, { bigint: true }).catch(() => undefined);
      if (facts?.isDirectory()) waiting.push(place);
      // Inode numbers are reused, so the birth time is part of the identity.
      else if (facts?.isSocket()) sockets.set(place, `${facts.dev}:${facts.ino}:${facts.birthtimeNs}`);
    }
  }
  return { sockets, directories };
}
