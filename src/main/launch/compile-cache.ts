/**
 * V8's compiled form of the bundle, kept in a file beside it: with it a start
 * neither parses the whole bundle nor keeps the memory that doing so took.
 *
 * The file begins with a digest of the bundle and of the rest of the file,
 * because V8 itself compares no more than the length of the source. What does
 * not fit (another bundle, half a file) is as good as none; a cache of another
 * V8 or of other flags is refused by V8. The bundle is then compiled as usual.
 */
import { createHash } from 'node:crypto';

const DIGEST = 'sha256';
const DIGEST_BYTES = 32;

/** The content of the cache file for this bundle. */
export function packCache(source: string, compiled: Uint8Array): Buffer {
  return Buffer.concat([digestOf(source, compiled), compiled]);
}

/** What V8 compiled, or undefined when the file does not belong to this bundle. */
export function unpackCache(source: string, file: Uint8Array): Buffer | undefined {
  const { buffer, byteOffset, byteLength } = file;
  if (byteLength <= DIGEST_BYTES) return undefined;
  // A view: the bytes are a megabyte, and are needed for a moment only.
  const compiled = Buffer.from(buffer, byteOffset + DIGEST_BYTES, byteLength - DIGEST_BYTES);
  const isIntact = digestOf(source, compiled).equals(file.subarray(0, DIGEST_BYTES));
  return isIntact ? compiled : undefined;
}

function digestOf(source: string, compiled: Uint8Array): Buffer {
  return createHash(DIGEST).update(source, 'latin1').update(compiled).digest();
}
