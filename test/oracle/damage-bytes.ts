/** Bytes of a message changed in ways that its meaning survives, and in ways that it must not. */

/** Fields with numbers far from ours, one of each wire type that proto3 has. */
export const UNKNOWN_FIELDS = Buffer.from(
  'f8ff07' +
    'ffffffffffffffffff01' +
    'f9ff07' +
    '0102030405060708' +
    'faff07' +
    '0361ff62' +
    'fdff07' +
    '01020304',
  'hex',
);

/** Where the fields of a message begin, and its end. */
export function findFieldStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    starts.push(at);
    const wireType = varint() & 7;
    if (wireType === 0) varint();
    else if (wireType === 1) at += 8;
    else if (wireType === 5) at += 4;
    else {
      const size = varint();
      at += size;
    }
  }
  return [...starts, at];
}

/** The message with unknown fields between all of its own. */
export function insertUnknownFields(bytes: Uint8Array): Buffer {
  const starts = findFieldStarts(bytes);
  const parts = starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? start));
  return Buffer.concat(parts.flatMap((part) => [UNKNOWN_FIELDS, part]));
}
