/**
 * Finds the manifest files at a path (one file, or the files of one directory, not deeper) and reads one of
 * them. Editors and tools leave half-finished files beside the real ones; those are passed over. Upstream
 * passes over dotfiles only; the rest of the list is ours.
 */

import { constants } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../../../base/errors.ts';
import { MAX_MANIFEST_BYTES } from '../../../core/manifest/parse-manifest.ts';
import { readWhole } from '../files/read-bounded.ts';

export interface ManifestFileEntry {
  readonly path: string;
  /** Changes whenever the content may have changed. */
  readonly fingerprint: string;
  /** Which file it is, if it was made under this name; undefined for one that was moved here, or cannot be looked at. */
  readonly made?: string;
}

export type ManifestListing =
  | {
      readonly kind: 'files';
      readonly isDirectory: boolean;
      /** The file system that the path is on. */
      readonly device: bigint;
      readonly files: readonly ManifestFileEntry[];
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: string };

/** Dotfiles; `x~`, `#x#` (Emacs), swap files and the probe file `4913` (Vim); unfinished and kept copies. */
const PASSED_OVER = /^\.|~$|^#.*#$|\.sw[a-z]$|^4913$|\.(tmp|bak|orig|part)$/i;

/** True for names that are never manifests. */
export function isPassedOver(name: string): boolean {
  return PASSED_OVER.test(name);
}

/** The manifest files at `path`, sorted by name. Symbolic links to files count; a mounted ConfigMap is made so. */
export async function listManifests(path: string): Promise<ManifestListing> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isDirectory()) {
      const only = await readEntry(path);
      const files = only === undefined ? [] : [only];
      return { kind: 'files', isDirectory: false, device: found.dev, files };
    }
    const names = (await readdir(path)).filter((name) => !isPassedOver(name)).sort();
    const entries = await Promise.all(names.map((name) => readEntry(join(path, name))));
    const files = entries.filter((entry) => entry !== undefined);
    return { kind: 'files', isDirectory: true, device: found.dev, files };
  } catch (error) {
    if (isMissing(error)) return { kind: 'missing' };
    return { kind: 'failed', error: errorText(error) };
  }
}

/**
 * Whether a directory that was there, on the file system `device`, is not what is listed now: it is gone, or what
 * was mounted there is. An empty directory in its own place is the administrator's word that there are no pods.
 */
export function hasVanished(listing: ManifestListing, device: bigint | undefined): boolean {
  if (device === undefined || listing.kind === 'failed') return false;
  if (listing.kind === 'missing') return true;
  return listing.isDirectory && listing.files.length === 0 && listing.device !== device;
}

/** The entry of a regular file; undefined for anything else, and for what has just gone. */
async function readEntry(path: string): Promise<ManifestFileEntry | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const { dev, ino, size, mtimeNs, ctimeNs, birthtimeNs } = found;
    const fingerprint = [dev, ino, size, mtimeNs, ctimeNs].join(':');
    // A move changes the second of the two times only.
    return ctimeNs > mtimeNs
      ? { path, fingerprint }
      : { path, fingerprint, made: [dev, ino, birthtimeNs].join(':') };
  } catch (error) {
    if (isMissing(error)) return undefined;
    // It is there but cannot be looked at: reading it will say why.
    return { path, fingerprint: errorText(error) };
  }
}

export type ManifestText =
  | {
      readonly text: string;
      /** Why the file may not hold a Secret, if so. */
      readonly secretProblem?: string;
    }
  | { readonly error: string };

/** The text of the file, or why there is none. */
export async function readManifest(path: string): Promise<ManifestText> {
  try {
    // Non-blocking: a pipe put in the file's place must not hold a thread.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { mode, uid } = await file.stat();
    const bytes = await readWhole(file, MAX_MANIFEST_BYTES);
    if (bytes === undefined) return { error: 'the manifest is larger than 10 MiB' };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const secretProblem = findSecretProblem(path, mode, uid);
    return secretProblem === undefined ? { text } : { text, secretProblem };
  } catch (error) {
    const isEncoding = error instanceof TypeError;
    return { error: isEncoding ? 'the file is not UTF-8 text' : `cannot read the file: ${errorText(error)}` };
  }
}

/** Others must not be able to read a Secret, nor put one of their own in its place. */
function findSecretProblem(path: string, mode: number, uid: number): string | undefined {
  const owner = process.getuid?.() ?? 0;
  if (uid !== owner && uid !== 0)
    return `a file that holds a Secret must belong to root, not to user ${uid}: run "chown root ${path}"`;
  if ((mode & 0o077) === 0) return undefined;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return `a file that holds a Secret must not be open to others, but its mode is ${shown}: run "chmod 600 ${path}"`;
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
