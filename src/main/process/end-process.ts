/**
 * Ends the process. Node waits at its end for every thread that does file work,
 * and one that waits for a file server may wait forever; the process is then
 * replaced by a program that only has the exit code, which the kernel does at
 * once: the lock, the ports and the files of the agent are free with it.
 */
import { isSea } from 'node:sea';
import { storageCalls } from '../../adapters/linux/storage/storage-fs.ts';

export function endProcess(exitCode: number): never {
  if (storageCalls.underWay > 0) replaceProcess(exitCode);
  process.exit(exitCode);
}

/** Returns only where that is not possible. */
function replaceProcess(exitCode: number): void {
  const [program, ...args] = replacementFor(exitCode, isSea());
  try {
    process.execve?.(program, [program, ...args], {});
  } catch {
    // Such as a Node that was replaced while the agent ran.
    process.kill(process.pid, 'SIGKILL');
  }
}

/** A program, with its arguments, that only ends. A kubelet in one file with its Node is a kubelet whatever its arguments. */
export function replacementFor(exitCode: number, isOneFile: boolean): readonly [string, ...string[]] {
  if (isOneFile) return [exitCode === 0 ? '/bin/true' : '/bin/false'];
  return [process.execPath, '-e', `process.exit(${exitCode})`];
}
