/**
 * FNV-1a with 128 bits, the hash that turns a manifest into the UID of its static pod. Not a cryptographic
 * hash: it names content, it protects nothing.
 *
 * The state is five limbs of 22 bits and one of 18, lowest first: 88 bits are four limbs, so that the upper
 * part of the prime, 2^88, moves whole limbs, and a limb times the lower part still is a small integer.
 */

const LIMB_BITS = 22;
const LIMB = (1 << LIMB_BITS) - 1;
const TOP_LIMB = (1 << 18) - 1;
/** The prime is 2^88 + 0x13b. */
const PRIME_LOW = 0x13b;
const OFFSET_BASIS = 0x6c62272e07bb014262b821756295c58dn;

/** Hashes text in chunks, so that it is never held whole. */
export class Fnv128 {
  #a = limbOf(0);
  #b = limbOf(1);
  #c = limbOf(2);
  #d = limbOf(3);
  #e = limbOf(4);
  #f = limbOf(5);

  /** Takes the UTF-8 bytes of `text`; a piece must not end within a surrogate pair. */
  update(text: string): this {
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= 0x80) return this.#updateBytes(new TextEncoder().encode(text.slice(at)));
      this.#updateByte(code);
    }
    return this;
  }

  /** The hash so far as 32 lower-case hex digits. */
  hex(): string {
    const limbs = [this.#f, this.#e, this.#d, this.#c, this.#b, this.#a];
    const hash = limbs.reduce((sum, limb) => (sum << BigInt(LIMB_BITS)) | BigInt(limb), 0n);
    return hash.toString(16).padStart(32, '0');
  }

  #updateBytes(bytes: Uint8Array): this {
    for (const byte of bytes) this.#updateByte(byte);
    return this;
  }

  #updateByte(byte: number): void {
    const low = this.#a ^ byte;
    const next = this.#b;
    const a = low * PRIME_LOW;
    const b = next * PRIME_LOW + (a >>> LIMB_BITS);
    const c = this.#c * PRIME_LOW + (b >>> LIMB_BITS);
    const d = this.#d * PRIME_LOW + (c >>> LIMB_BITS);
    const e = this.#e * PRIME_LOW + (d >>> LIMB_BITS) + low;
    const f = this.#f * PRIME_LOW + (e >>> LIMB_BITS) + next;
    this.#a = a & LIMB;
    this.#b = b & LIMB;
    this.#c = c & LIMB;
    this.#d = d & LIMB;
    this.#e = e & LIMB;
    this.#f = f & TOP_LIMB;
  }
}

function limbOf(index: number): number {
  return Number((OFFSET_BASIS >> BigInt(index * LIMB_BITS)) & BigInt(LIMB));
}
