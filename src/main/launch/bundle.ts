/**
 * The bundle of `make build` as a function, compiled from its source or taken
 * from the cache beside it.
 *
 * The source is read as Latin-1: a character beyond it would make V8 hold every
 * character in two bytes. The bundle has nothing but ASCII in it; compile.ts
 * makes sure of that when it is built.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { unpackCache } from './compile-cache.ts';

export interface Bundle {
  readonly source: string;
  /** Undefined when there was no cache to use; true when V8 did not want it. */
  readonly isCacheRejected: boolean | undefined;
  run(): void;
  /** What V8 has compiled; only with `forCache`. */
  readonly compiled: Uint8Array | undefined;
}

export interface BundleFiles {
  readonly bundle: string;
  readonly cache: string;
}

/** Throws when the bundle cannot be read. */
export function readBundle({ bundle, cache }: BundleFiles, forCache = false): Bundle {
  const source = readFileSync(bundle, 'latin1');
  const cachedData = forCache ? undefined : readCache(cache, source);
  const compiled = compileFunction(source, ['require', 'module'], {
    filename: bundle,
    cachedData,
    produceCachedData: forCache,
  });
  const run = (): void => void compiled(createRequire(bundle), { exports: {} });
  return { source, run, isCacheRejected: compiled.cachedDataRejected, compiled: compiled.cachedData };
}

function readCache(path: string, source: string): Buffer | undefined {
  try {
    return unpackCache(source, readFileSync(path));
  } catch {
    // Without a cache it takes a moment and some memory more.
    return undefined;
  }
}
