import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addNote } from './elf-note.ts';

const LOAD = 1;
const INTERPRETER = 3;
const NOTE = 4;
const TABLE = 6;
const STACK = 0x6474e551;
const BASE = 0x400000;
const TABLE_AT = 64;
const ENTRY = 56;
const LOADER = '/lib64/ld-linux-x86-64.so.2\0';

interface Header {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly bytes: number;
}

/** A program as the linker of Node lays it out: table, interpreter, notes, one segment, then sections. */
function sampleProgram(noteBytes = 68): Buffer {
  const interpreterAt = TABLE_AT + 5 * ENTRY;
  const noteAt = (interpreterAt + LOADER.length + 3) & ~3;
  const headers: Header[] = [
    { type: TABLE, offset: TABLE_AT, address: BASE + TABLE_AT, bytes: 5 * ENTRY },
    { type: INTERPRETER, offset: interpreterAt, address: BASE + interpreterAt, bytes: LOADER.length },
    { type: LOAD, offset: 0, address: BASE, bytes: 0x1800 },
    { type: NOTE, offset: noteAt, address: BASE + noteAt, bytes: noteBytes },
    { type: STACK, offset: 0, address: 0, bytes: 0 },
  ];
  const program = Buffer.alloc(0x2000, 0xaa);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]).copy(program);
  program.writeBigUInt64LE(BigInt(TABLE_AT), 32);
  program.writeBigUInt64LE(0x1900n, 40);
  program.writeUInt16LE(ENTRY, 54);
  program.writeUInt16LE(headers.length, 56);
  headers.forEach(({ type, offset, address, bytes }, index) => {
    const at = TABLE_AT + index * ENTRY;
    program.writeUInt32LE(type, at);
    program.writeUInt32LE(4, at + 4);
    [offset, address, address, bytes, bytes, 4].forEach((value, field) => {
      program.writeBigUInt64LE(BigInt(value), at + 8 + field * 8);
    });
  });
  program.write(LOADER, interpreterAt);
  return program;
}

function readHeaders(program: Buffer): Header[] {
  return Array.from({ length: program.readUInt16LE(56) }, (_, index) => {
    const at = TABLE_AT + index * ENTRY;
    const long = (field: number): number => Number(program.readBigUInt64LE(at + field));
    return { type: program.readUInt32LE(at), offset: long(8), address: long(16), bytes: long(32) };
  });
}

describe('addNote', () => {
  const content = Buffer.from('the application');
  const result = addNote(sampleProgram(), 'NODE_SEA_BLOB', content);
  const headers = readHeaders(result);
  const of = (type: number): Header[] => headers.filter((header) => header.type === type);

  it('adds the note as a segment of its own that is loaded', () => {
    const [note] = of(NOTE);
    assert.ok(note);
    assert.deepEqual(of(LOAD)[1], { ...note, type: LOAD });
    assert.equal(note.offset % 0x10000, 0);
    assert.equal(note.address % 0x10000, 0);
    assert.equal(result.readUInt32LE(note.offset), 'NODE_SEA_BLOB\0'.length);
    assert.equal(result.readUInt32LE(note.offset + 4), content.length);
    assert.equal(result.toString('latin1', note.offset + 12, note.offset + 25), 'NODE_SEA_BLOB');
    assert.equal(
      result.toString('latin1', note.offset + 28, note.offset + 28 + content.length),
      `${content}`,
    );
  });

  it('keeps the interpreter, behind the longer table, and everything that is loaded', () => {
    const [interpreter] = of(INTERPRETER);
    assert.ok(interpreter);
    assert.equal(interpreter.offset, TABLE_AT + headers.length * ENTRY);
    assert.equal(interpreter.address, BASE + interpreter.offset);
    assert.equal(result.toString('latin1', interpreter.offset, interpreter.offset + LOADER.length), LOADER);
    assert.equal(of(TABLE)[0]?.bytes, headers.length * ENTRY);
    const before = sampleProgram();
    assert.ok(result.subarray(0x300, 0x1800).equals(before.subarray(0x300, 0x1800)));
  });

  it('lists what is loaded in the order of its addresses, as a loader expects', () => {
    const addresses = of(LOAD).map(({ address }) => address);
    assert.deepEqual(
      addresses,
      addresses.toSorted((a, b) => a - b),
    );
  });

  it('gives the same bytes for the same input', () => {
    assert.ok(addNote(sampleProgram(), 'NODE_SEA_BLOB', content).equals(result));
  });

  it('refuses what has no room, and what is no program', () => {
    assert.throws(() => addNote(sampleProgram(32), 'NODE_SEA_BLOB', content), /no room/);
    assert.throws(() => addNote(Buffer.from('#!/bin/sh\n'.repeat(20)), 'X', content), /no program/);
  });
});
