/** Where the last lines of a log file begin. */
import type { FileHandle } from 'node:fs/promises';

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * The position of the last `lines` lines that have ended; a last line without
 * its newline does not count but is included. 0 when there are not so many.
 */
export async function findTail(handle: FileHandle, lines: number): Promise<number> {
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
      if (missing === 0) return start + at + 1;
      missing--;
    }
  }
  return 0;
}
