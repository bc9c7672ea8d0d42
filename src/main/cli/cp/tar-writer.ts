/** Writes a file or a directory of this machine as an archive of tar, which GNU's and busybox's programs read. */
import { constants, type Stats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BLOCK_BYTES, padding } from './tar-reader.ts';

const NAME_BYTES = 100;
const OCTAL_SIZE_LIMIT = 8 ** 11;
const CHUNK_BYTES = 256 * 1024;
const LONG_NAME = '././@LongLink';

export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
}

export interface WriterView {
  /** Before each file. */
  onFile(file: WrittenFile): void;
  /** What an archive cannot hold, such as a socket. */
  onSkipped(path: string): void;
}

/** `path` under the name `name`. Links are written as links and not followed. Rejects with the system's error. */
export async function* writeTar(path: string, name: string, view: WriterView): AsyncGenerator<Buffer> {
  yield* writeTree(path, name, view);
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

async function* writeTree(path: string, name: string, view: WriterView): AsyncGenerator<Buffer> {
  const stats = await lstat(path);
  if (stats.isDirectory()) {
    yield* toHeader(`${name}/`, stats, '5', 0);
    for (const child of (await readdir(path)).sort())
      yield* writeTree(join(path, child), `${name}/${child}`, view);
  } else if (stats.isSymbolicLink()) yield* toHeader(name, stats, '2', 0, await readlink(path));
  else if (stats.isFile()) yield* writeFile(path, name, view);
  else view.onSkipped(path);
}

/** Exactly as long as the header says, whatever becomes of the file meanwhile. */
async function* writeFile(path: string, name: string, view: WriterView): AsyncGenerator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const stats = await file.stat();
  if (!stats.isFile()) return view.onSkipped(path);
  view.onFile({ path, sizeBytes: stats.size });
  yield* toHeader(name, stats, '0', stats.size);
  let left = stats.size;
  while (left > 0) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(CHUNK_BYTES, left)));
    if (bytesRead === 0) break;
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  for (; left > 0; left -= Math.min(left, CHUNK_BYTES)) yield Buffer.alloc(Math.min(left, CHUNK_BYTES));
  yield Buffer.alloc(padding(stats.size));
}

function* toHeader(name: string, stats: Stats, type: string, size: number, link = ''): Generator<Buffer> {
  for (const [long, kind] of [
    [name, 'L'],
    [link, 'K'],
  ] as const) {
    const text = Buffer.from(`${long}\0`);
    if (text.length - 1 <= NAME_BYTES) continue;
    yield toBlock(LONG_NAME, { mode: 0, mtimeMs: 0 }, kind, text.length, '');
    yield Buffer.concat([text, Buffer.alloc(padding(text.length))]);
  }
  yield toBlock(name, stats, type, size, link);
}

function toBlock(
  name: string,
  { mode, mtimeMs }: Pick<Stats, 'mode' | 'mtimeMs'>,
  type: string,
  size: number,
  link: string,
): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  Buffer.from(name).copy(block, 0, 0, NAME_BYTES);
  putOctal(block, 100, 8, mode & 0o7777);
  putOctal(block, 108, 8, 0);
  putOctal(block, 116, 8, 0);
  putSize(block, size);
  putOctal(block, 136, 12, Math.max(0, Math.floor(mtimeMs / 1000)));
  block.write(type, 156, 'latin1');
  Buffer.from(link).copy(block, 157, 0, NAME_BYTES);
  block.write('ustar  \0', 257, 'latin1');
  // Without names some programs take the owner for one they do not know.
  for (const at of [265, 297]) block.write('root', at, 'latin1');
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function putOctal(block: Buffer, at: number, length: number, value: number): void {
  block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
}

/** What eleven digits do not hold is written as the number itself. */
function putSize(block: Buffer, size: number): void {
  if (size < OCTAL_SIZE_LIMIT) {
    putOctal(block, 124, 12, size);
    return;
  }
  block[124] = 0x80;
  block.writeBigUInt64BE(BigInt(size), 128);
}
