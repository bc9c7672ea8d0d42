/** package-lock.json, as far as a release needs it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
}

/** Throws when the package is not in the lock file. */
export function lockedPackage({ packages }: Lock, name: string): LockedPackage {
  const found = packages[`node_modules/${name}`];
  if (found === undefined) throw new Error(`"${name}" is not in package-lock.json`);
  return found;
}

/** The packages that the program is made of, with those they need, by name in order. */
export function runTimePackages(lock: Lock): Map<string, LockedPackage> {
  const found = new Map<string, LockedPackage>();
  const waiting = Object.keys(lock.packages['']?.dependencies ?? {});
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const entry = lockedPackage(lock, name);
    found.set(name, entry);
    waiting.push(...Object.keys(entry.dependencies ?? {}));
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
