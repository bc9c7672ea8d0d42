/** Ends every mount at or below a directory of a node that has stopped, so that the directory can be removed. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findMountsBelow, parseMountinfo } from '../../src/adapters/linux/mountinfo.ts';

const run = promisify(execFile);

export async function unmountBelow(directory: string): Promise<void> {
  for (;;) {
    const mounts = parseMountinfo(await readFile('/proc/self/mountinfo', 'utf8'));
    const deepest = findMountsBelow(mounts, directory).at(-1);
    if (deepest === undefined) return;
    // What is still in use goes when it no longer is.
    await run('umount', [deepest]).catch(() => run('umount', ['-l', deepest]));
  }
}
