/**
 * Small files of cgroupfs and /proc, read at once: the kernel answers from its
 * memory, and a call through the thread pool would cost ten times as much.
 * Only for paths that no pod can put anything else at. Those who read many put
 * paths together without node:path, which goes through them letter by letter.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

const CHUNK = Buffer.allocUnsafe(64 * 1024);
const LINE_END = 0x0a;
/** No file of interest is as long. */
const MAX_BYTES = 1024 * 1024;

/** The kernel fills a page of these files before it stops: less is all there is, and another read can be saved. */
const PAGE_PART_BYTES = 1024;

/** Of a file whose length the kernel bounds, in one call. Undefined when it cannot be read. */
export function readControl(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Of a file that is as long as a pod makes it, such as `cgroup.procs`: no more than its beginning. */
export function readBeginning(path: string): string | undefined {
  let text = '';
  const isRead = readChunks(path, (length) => {
    text += CHUNK.toString('latin1', 0, length);
    return text.length < MAX_BYTES;
  });
  return isRead ? text : undefined;
}

/** Lines of a file that may be long; 0 when it cannot be read. */
export function countLines(path: string): number {
  let lines = 0;
  readChunks(path, (length) => {
    for (let at = CHUNK.indexOf(LINE_END); at >= 0 && at < length; at = CHUNK.indexOf(LINE_END, at + 1))
      lines++;
    return true;
  });
  return lines;
}

/** Calls `use` with how much of the chunk is filled. False when the file cannot be read. */
function readChunks(path: string, use: (length: number) => boolean): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    for (;;) {
      const length = readSync(descriptor, CHUNK, 0, CHUNK.length, null);
      if (length === 0 || !use(length) || length < PAGE_PART_BYTES) return true;
    }
  } catch {
    return false;
  } finally {
    closeSync(descriptor);
  }
}
