/**
 * FNV-1a with 128 bits, the hash that turns a manifest into the UID of its static pod. Not a cryptographic
 * hash: it names content, it protects nothing.
 */

const OFFSET_BASIS = 0x6c62272e07bb014262b821756295c58dn;
/** The prime is 2^88 + 0x13b; the two parts are multiplied apart because a shift is cheaper. */
const PRIME_LOW = 0x13bn;
const PRIME_SHIFT = 88n;
const MASK = (1n << 128n) - 1n;

/** The hash of the UTF-8 bytes of `text` as 32 lower-case hex digits. */
export function fnv128Hex(text: string): string {
  let hash = OFFSET_BASIS;
  for (const byte of new TextEncoder().encode(text)) {
    hash ^= BigInt(byte);
    hash = (hash * PRIME_LOW + (hash << PRIME_SHIFT)) & MASK;
  }
  return hash.toString(16).padStart(32, '0');
}
