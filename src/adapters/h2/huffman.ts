/**
 * The Huffman code of HTTP/2 headers (RFC 7541, appendix B), for reading. The
 * code is canonical, so the lengths of its symbols say all: one digit of base
 * 36 for each of the 256 bytes, and the last for the end of a string. Read four
 * bits at a time: no symbol is shorter, so each step ends at most one.
 */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f56565666577666567655677777fbeds' +
  'kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu';

const END_OF_STRING = 256;
/** What fills the last byte of a string is shorter than one. */
const LONGEST_PADDING = 7;
const STEPS = 16;
/** Of a step: the symbol that ends in it plus one in the upper bits, or that no string has these bits. */
const SYMBOL_SHIFT = 8;
const NONE = -1;

interface Decoder {
  /** For each node and four bits: the next node, and a symbol. */
  readonly steps: Int32Array;
  /** Nodes that a string may end in: the way to them is padding. */
  readonly ends: Uint8Array;
}

let decoder: Decoder | undefined;

/** Two entries per node: another node, or a symbol as `-1 - symbol`; zero is none, as nothing leads to the root. */
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

function buildDecoder(): Decoder {
  const tree = buildTree();
  const count = tree.length / 2;
  const steps = new Int32Array(STEPS * count);
  for (let node = 0; node < count; node++)
    for (let bits = 0; bits < STEPS; bits++) steps[STEPS * node + bits] = toStep(tree, node, bits);
  const ends = new Uint8Array(count);
  for (let node = 0, depth = 0; depth <= LONGEST_PADDING; depth++, node = tree[2 * node + 1] ?? 0)
    ends[node] = 1;
  return { steps, ends };
}

function toStep(tree: Int16Array, from: number, bits: number): number {
  let node = from;
  let symbol = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const entry = tree[2 * node + ((bits >> bit) & 1)] ?? 0;
    if (entry === -1 - END_OF_STRING) return NONE;
    if (entry < 0) symbol = -entry;
    node = Math.max(0, entry);
  }
  return (symbol << SYMBOL_SHIFT) | node;
}

/** The text that the bytes stand for, a character per byte; undefined when they are not of the code. */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  decoder ??= buildDecoder();
  const { steps, ends } = decoder;
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let size = 0;
  let node = 0;
  for (const byte of bytes) {
    const half = steps[STEPS * node + (byte >> 4)] ?? NONE;
    if (half === NONE) return undefined;
    if (half >= END_OF_STRING) text[size++] = (half >> SYMBOL_SHIFT) - 1;
    const step = steps[STEPS * (half & 255) + (byte & 15)] ?? NONE;
    if (step === NONE) return undefined;
    if (step >= END_OF_STRING) text[size++] = (step >> SYMBOL_SHIFT) - 1;
    node = step & 255;
  }
  return ends[node] === 1 ? text.toString('latin1', 0, size) : undefined;
}
