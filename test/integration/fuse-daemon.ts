/**
 * A file system of a few read-only files, served by this process over
 * /dev/fuse (descriptor 3). A process that is stopped (SIGSTOP) is a file
 * server that does not answer: a call waits, and gets its answer when
 * the process goes on (SIGCONT). Nothing is cached by the kernel.
 *
 *   node fuse-daemon.ts <&- 3<>/dev/fuse     prints `serving` after the handshake
 */
import { readSync, writeSync } from 'node:fs';

const DESCRIPTOR = 3;
const IN_HEADER_BYTES = 40;
const OUT_HEADER_BYTES = 16;
const ENOENT = 2;
const ENOSYS = 38;
const [DIRECTORY_MODE, FILE_MODE] = [0o040755, 0o100644];

/** By node number; 1 is the root. */
interface FileNode {
  readonly entries?: ReadonlyMap<string, number>;
  readonly content?: string;
}

const NODES: ReadonlyMap<number, FileNode> = new Map<number, FileNode>([
  [1, { entries: new Map([['part', 2]]) }],
  [2, { entries: new Map([['hello', 3]]) }],
  [3, { content: 'served\n' }],
]);

const OPCODES: Readonly<Record<number, (request: Request) => Buffer | number | undefined>> = {
  1: ({ node, body }) => lookUp(node, body),
  2: () => undefined,
  3: ({ node }) => Buffer.concat([Buffer.alloc(16), toAttributes(node)]),
  14: () => Buffer.alloc(16),
  15: ({ node, body }) => slice(Buffer.from(NODES.get(node)?.content ?? ''), body),
  17: () => toStatistics(),
  18: () => 0,
  25: () => 0,
  26: ({ body }) => shakeHands(body),
  27: () => Buffer.alloc(16),
  28: ({ node, body }) => slice(toListing(node), body),
  29: () => 0,
  34: () => 0,
  36: () => undefined,
  42: () => undefined,
};

interface Request {
  readonly opcode: number;
  readonly unique: bigint;
  readonly node: number;
  readonly body: Buffer;
}

function shakeHands(body: Buffer): Buffer {
  const reply = Buffer.alloc(64);
  reply.writeUInt32LE(7, 0);
  reply.writeUInt32LE(Math.min(31, body.readUInt32LE(4)), 4);
  reply.writeUInt32LE(body.readUInt32LE(8), 8);
  reply.writeUInt16LE(64, 16);
  reply.writeUInt16LE(48, 18);
  reply.writeUInt32LE(128 * 1024, 20);
  reply.writeUInt32LE(1, 24);
  return reply;
}

function lookUp(parent: number, body: Buffer): Buffer | number {
  const name = body.subarray(0, body.indexOf(0)).toString();
  const found = NODES.get(parent)?.entries?.get(name);
  if (found === undefined) return -ENOENT;
  const entry = Buffer.alloc(40);
  entry.writeBigUInt64LE(BigInt(found), 0);
  return Buffer.concat([entry, toAttributes(found)]);
}

function toAttributes(number: number): Buffer {
  const node = NODES.get(number);
  const attributes = Buffer.alloc(88);
  attributes.writeBigUInt64LE(BigInt(number), 0);
  attributes.writeBigUInt64LE(BigInt(node?.content?.length ?? 0), 8);
  attributes.writeUInt32LE(node?.entries === undefined ? FILE_MODE : DIRECTORY_MODE, 60);
  attributes.writeUInt32LE(1, 64);
  attributes.writeUInt32LE(4096, 80);
  return attributes;
}

function toListing(number: number): Buffer {
  const listed: Buffer[] = [];
  let offset = 0;
  for (const [name, child] of NODES.get(number)?.entries ?? []) {
    const entry = Buffer.alloc(24 + Math.ceil(name.length / 8) * 8);
    offset += entry.length;
    entry.writeBigUInt64LE(BigInt(child), 0);
    entry.writeBigUInt64LE(BigInt(offset), 8);
    entry.writeUInt32LE(name.length, 16);
    entry.writeUInt32LE(NODES.get(child)?.entries === undefined ? 8 : 4, 20);
    entry.write(name, 24);
    listed.push(entry);
  }
  return Buffer.concat(listed);
}

function toStatistics(): Buffer {
  const statistics = Buffer.alloc(80);
  statistics.writeBigUInt64LE(1000n, 0);
  statistics.writeBigUInt64LE(BigInt(NODES.size), 24);
  for (const at of [40, 48]) statistics.writeUInt32LE(4096, at);
  statistics.writeUInt32LE(255, 44);
  return statistics;
}

/** What a read asks for: its offset and size are behind the handle. */
function slice(content: Buffer, body: Buffer): Buffer {
  const offset = Number(body.readBigUInt64LE(8));
  return content.subarray(offset, offset + body.readUInt32LE(16));
}

function answer({ opcode, unique, ...request }: Request): void {
  const handle = OPCODES[opcode];
  const result = handle === undefined ? -ENOSYS : handle({ opcode, unique, ...request });
  if (result === undefined) return;
  const payload = typeof result === 'number' ? Buffer.alloc(0) : result;
  const header = Buffer.alloc(OUT_HEADER_BYTES);
  header.writeUInt32LE(OUT_HEADER_BYTES + payload.length, 0);
  header.writeInt32LE(typeof result === 'number' ? result : 0, 4);
  header.writeBigUInt64LE(unique, 8);
  try {
    writeSync(DESCRIPTOR, Buffer.concat([header, payload]));
  } catch {
    // The caller has been killed in the meantime.
  }
  if (opcode === 26) process.stdout.write('serving\n');
}

const buffer = Buffer.alloc(1024 * 1024);
for (;;) {
  let length: number;
  try {
    length = readSync(DESCRIPTOR, buffer);
  } catch (error) {
    // A request that was taken back before it was read; anything else is the end of the mount.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue;
    break;
  }
  answer({
    opcode: buffer.readUInt32LE(4),
    unique: buffer.readBigUInt64LE(8),
    node: Number(buffer.readBigUInt64LE(16)),
    body: Buffer.from(buffer.subarray(IN_HEADER_BYTES, length)),
  });
}
