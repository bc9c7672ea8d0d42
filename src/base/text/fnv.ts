/**
 * FNV-1a hashes of text, as lower-case hex without padding. Container hashes
 * are compared with those of containers another kubelet made, so the bytes
 * hashed are the UTF-8 form.
 */

const ENCODER = new TextEncoder();

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
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of ENCODER.encode(text)) {
    low = (low ^ byte) >>> 0;
    // The prime is 2^40 + 0x1b3, so the product is a shift and a small multiplication, half by half.
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high === 0 ? low.toString(16) : `${high.toString(16)}${low.toString(16).padStart(8, '0')}`;
}
