/**
 * FNV-1a hashes of text, as lower-case hex without padding. Container hashes
 * are compared with those of containers another kubelet made, so the bytes
 * hashed are the UTF-8 form.
 */

const ENCODER = new TextEncoder();
const PRIME_64 = 0x100000001b3n;
const MASK_64 = 0xffffffffffffffffn;

/** The 32-bit hash. */
export function fnv1a32(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return hashBytes32(ENCODER.encode(text));
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return (hash >>> 0).toString(16);
}

function hashBytes32(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16);
}

/** The 64-bit hash. */
export function fnv1a64(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of ENCODER.encode(text)) hash = ((hash ^ BigInt(byte)) * PRIME_64) & MASK_64;
  return hash.toString(16);
}
