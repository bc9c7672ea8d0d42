/**
 * Puts a note with any content into an ELF program, where Node looks for the
 * application of a single executable. The program gives up its symbols,
 * debugging sections and build id for it:
 *
 *   before   header │ n program headers │ interpreter │ notes │ … segments … │ sections
 *   after    header │ n+1 program headers │ interpreter │    … segments … │ the note
 *
 * The place of its own notes is where one more program header fits, so nothing
 * that the program itself refers to moves. The same input gives the same bytes.
 */

const ELF64_LITTLE_ENDIAN = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
/** The largest page of the machines we build for. */
const PAGE_BYTES = 0x10000;
const LOAD = 1;
const INTERPRETER = 3;
const NOTE = 4;
const TABLE = 6;
const READABLE = 4;

interface Segment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly address: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  readonly align: number;
}

/** Throws when the program is not laid out as the comment above says. */
export function addNote(program: Buffer, name: string, content: Buffer): Buffer {
  const segments = readSegments(program);
  const tableEnd = HEADER_BYTES + segments.length * PROGRAM_HEADER_BYTES;
  const interpreter = only(segments, INTERPRETER);
  const oldNote = only(segments, NOTE);
  const interpreterAt = tableEnd + PROGRAM_HEADER_BYTES;
  const isRoom =
    interpreter.offset >= tableEnd &&
    oldNote.offset >= interpreter.offset + interpreter.fileBytes &&
    oldNote.offset - (interpreter.offset + interpreter.fileBytes) < 8 &&
    interpreterAt + interpreter.fileBytes <= oldNote.offset + oldNote.fileBytes;
  if (!isRoom) throw new Error('there is no room for another program header in this program');

  const loads = segments.filter(({ type }) => type === LOAD);
  const offset = roundUp(Math.max(...loads.map((load) => load.offset + load.fileBytes)), PAGE_BYTES);
  const address = roundUp(Math.max(...loads.map((load) => load.address + load.memoryBytes)), PAGE_BYTES);
  const note = renderNote(name, content);
  const place = { offset, address, fileBytes: note.length, memoryBytes: note.length, flags: READABLE };
  const lastLoad = segments.lastIndexOf(loads.at(-1) as Segment);
  const table = segments.map((segment): Segment => {
    if (segment === oldNote) return { ...segment, ...place };
    if (segment === interpreter) return moved(segment, interpreterAt);
    return segment.type === TABLE ? grown(segment) : segment;
  });
  table.splice(lastLoad + 1, 0, { type: LOAD, align: PAGE_BYTES, ...place });

  const result = Buffer.alloc(offset + note.length);
  program.copy(result, 0, 0, Math.min(offset, program.length));
  result.fill(0, tableEnd, oldNote.offset + oldNote.fileBytes);
  program.copy(result, interpreterAt, interpreter.offset, interpreter.offset + interpreter.fileBytes);
  note.copy(result, offset);
  writeTable(result, table);
  return result;
}

function readSegments(program: Buffer): Segment[] {
  const isKnown =
    program.length > HEADER_BYTES &&
    program.subarray(0, ELF64_LITTLE_ENDIAN.length).equals(ELF64_LITTLE_ENDIAN) &&
    Number(program.readBigUInt64LE(32)) === HEADER_BYTES &&
    program.readUInt16LE(54) === PROGRAM_HEADER_BYTES;
  if (!isKnown) throw new Error('this is no program for a 64-bit machine that we can add to');
  return Array.from({ length: program.readUInt16LE(56) }, (_, index) => {
    const at = HEADER_BYTES + index * PROGRAM_HEADER_BYTES;
    const long = (field: number): number => Number(program.readBigUInt64LE(at + field));
    return {
      ...{ type: program.readUInt32LE(at), flags: program.readUInt32LE(at + 4) },
      ...{ offset: long(8), address: long(16), fileBytes: long(32), memoryBytes: long(40), align: long(48) },
    };
  });
}

function writeTable(program: Buffer, segments: readonly Segment[]): void {
  segments.forEach(({ type, flags, offset, address, fileBytes, memoryBytes, align }, index) => {
    const at = HEADER_BYTES + index * PROGRAM_HEADER_BYTES;
    program.writeUInt32LE(type, at);
    program.writeUInt32LE(flags, at + 4);
    [offset, address, address, fileBytes, memoryBytes, align].forEach((value, field) => {
      program.writeBigUInt64LE(BigInt(value), at + 8 + field * 8);
    });
  });
  program.writeUInt16LE(segments.length, 56);
  // The table of sections is gone with what they described.
  program.writeBigUInt64LE(0n, 40);
  program.writeUInt16LE(0, 60);
  program.writeUInt16LE(0, 62);
}

function only(segments: readonly Segment[], type: number): Segment {
  const [found, ...others] = segments.filter((segment) => segment.type === type);
  if (found === undefined || others.length > 0)
    throw new Error(`expected one program header of type ${type}, found ${others.length + (found ? 1 : 0)}`);
  return found;
}

function moved(segment: Segment, offset: number): Segment {
  return { ...segment, offset, address: segment.address + offset - segment.offset };
}

function grown(segment: Segment): Segment {
  const fileBytes = segment.fileBytes + PROGRAM_HEADER_BYTES;
  return { ...segment, fileBytes, memoryBytes: fileBytes };
}

function renderNote(name: string, content: Buffer): Buffer {
  const nameBytes = Buffer.from(`${name}\0`);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(nameBytes.length, 0);
  header.writeUInt32LE(content.length, 4);
  const padding = (bytes: number): Buffer => Buffer.alloc(roundUp(bytes, 4) - bytes);
  return Buffer.concat([header, nameBytes, padding(nameBytes.length), content, padding(content.length)]);
}

function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
