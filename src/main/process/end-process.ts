/**
 * Ends the process. Node waits at its end for every thread that does file work,
 * and one that waits for a file server may wait forever; the process is then
 * replaced by a program that only has the exit code, which the kernel does at
 * once: the lock, the ports and the files of the agent are free with it.
 */
import { storageCalls } from '../../adapters/linux/storage/storage-fs.ts';

export function endProcess(exitCode: number): never {
  if (storageCalls.underWay > 0) replaceProcess(exitCode);
  process.exit(exitCode);
}

/** Returns only where that is not possible. */
function replaceProcess(exitCode: number): void {
  const { execPath } = process;
  try {
    process.execve?.(execPath, [execPath, '-e', `process.exit(${exitCode})`], {});
  } catch {
    // Such as a Node that was replaced while the agent ran.
    process.kill(process.pid, 'SIGKILL');
  }
}
