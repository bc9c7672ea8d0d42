/**
 * The Huffman code of HTTP/2 headers (RFC 7541, appendix B), for reading. The
 * code is canonical, so the lengths of its symbols say all: one digit of base
 * 36 for each of the 256 bytes, and the last for the end of a string.
 */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const END_OF_STRING = 256;
/** What fills the last byte of a string is shorter than one. */
const LONGEST_PADDING = 7;

/** Two entries per node: another node, or a symbol as `-1 - symbol`; zero is none, as nothing leads to the root. */
let tree: Int16Array | undefined;

function buildTree(): Int16Array {
  const nodes = new Int16Array(2 * (END_OF_STRING + 1));
  const lengths = Array.from(LENGTHS, (digit) => Number.parseInt(digit, 36));
  const symbols = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  let code = 0;
  let length = 0;
  let count = 1;
  for (const symbol of symbols) {
    const bits = lengths[symbol] ?? 0;
    code *= 2 ** (bits - length);
    length = bits;
    let node = 0;
    for (let bit = bits - 1; bit > 0; bit--) {
      const entry = 2 * node + ((code >> bit) & 1);
      if (nodes[entry] === 0) nodes[entry] = count++;
      node = nodes[entry] ?? 0;
    }
    nodes[2 * node + (code & 1)] = -1 - symbol;
    code++;
  }
  return nodes;
}

/** The text that the bytes stand for, a character per byte; undefined when they are not of the code. */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  tree ??= buildTree();
  const nodes = tree;
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let size = 0;
  let node = 0;
  /** Bits since the last symbol, and whether all of them were ones. */
  let pending = 0;
  let areOnes = true;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      const one = (byte >> bit) & 1;
      const entry = nodes[2 * node + one] ?? 0;
      if (entry >= 0) {
        node = entry;
        pending++;
        areOnes &&= one === 1;
        continue;
      }
      if (entry === -1 - END_OF_STRING) return undefined;
      text[size++] = -1 - entry;
      node = 0;
      pending = 0;
      areOnes = true;
    }
  }
  if (pending > LONGEST_PADDING || !areOnes) return undefined;
  return text.toString('latin1', 0, size);
}
