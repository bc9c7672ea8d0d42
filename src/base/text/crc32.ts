/** The CRC-32 (IEEE) checksum of text in its UTF-8 form. */

const ENCODER = new TextEncoder();
const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let rest = index;
  for (let bit = 0; bit < 8; bit++) rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ 0xedb88320;
  return rest >>> 0;
});

export function crc32(text: string): number {
  let sum = 0xffffffff;
  for (const byte of ENCODER.encode(text)) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0);
  return (sum ^ 0xffffffff) >>> 0;
}
