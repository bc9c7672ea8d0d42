/**
 * Small files of cgroupfs and /proc, read at once: the kernel answers from its
 * memory, and a call through the thread pool would cost ten times as much.
 * Only for paths that no pod can put anything else at.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK = Buffer.allocUnsafe(64 * 1024);
/** No file of interest is as long. */
const MAX_BYTES = 1024 * 1024;

/** Undefined when it cannot be read. */
export function readControl(path: string): string | undefined {
  let text = '';
  const isRead = readChunks(path, (chunk) => {
    text += chunk.toString('latin1');
    return text.length < MAX_BYTES;
  });
  return isRead ? text : undefined;
}

/** Lines of a file that may be long; 0 when it cannot be read. */
export function countLines(path: string): number {
  let lines = 0;
  readChunks(path, (chunk) => {
    for (const byte of chunk) if (byte === 0x0a) lines++;
    return true;
  });
  return lines;
}

/** False when it cannot be read. */
function readChunks(path: string, use: (chunk: Buffer) => boolean): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    for (;;) {
      const length = readSync(descriptor, CHUNK, 0, CHUNK.length, null);
      if (length === 0 || !use(CHUNK.subarray(0, length))) return true;
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
