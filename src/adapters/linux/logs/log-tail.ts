/** Where the last lines of a log file begin. */
import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

export interface LogTail {
  readonly position: number;
  /** So many lines fewer than wanted are in the file. */
  readonly missing: number;
}

/**
 * Where the last `lines` lines that have ended begin; a last line without its
 * newline does not count but is included.
 */
export async function findTail(handle: FileHandle, lines: number): Promise<LogTail> {
  const { size } = await handle.stat();
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let missing = lines;
  for (let end = size; end > 0; end -= BLOCK_BYTES) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    const block = buffer.subarray(0, bytesRead);
    for (
      let at = block.lastIndexOf(NEWLINE);
      at >= 0;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1)
    ) {
      // The newline before the wanted lines, hence one more than are wanted.
      if (missing === 0) return { position: start + at + 1, missing };
      missing--;
    }
  }
  return { position: 0, missing };
}
