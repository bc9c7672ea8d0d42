/** Which files the linter has to look at: those whose path and text together it has not found in order before. */
import { createHash } from 'node:crypto';

/** Of all of them, in order; what is missing counts too. */
export function toDigest(parts: readonly (string | Buffer | undefined)[]): string {
  const hash = createHash('sha256');
  for (const part of parts)
    hash.update(part === undefined ? '-' : `+${Buffer.byteLength(part)}:`).update(part ?? '');
  return hash.digest('base64');
}

interface NamedText {
  readonly path: string;
  /** Undefined when the file is gone. */
  readonly text: Buffer | undefined;
}

/** `clean` holds the digests of path and text of what was in order. */
export function toUnclean(files: readonly NamedText[], clean: ReadonlySet<string>): string[] {
  return files
    .filter(({ path, text }) => text !== undefined && !clean.has(toDigest([path, text])))
    .map(({ path }) => path);
}
