/** What a process has cost so far, read from /proc. */
import { readdir, readFile } from 'node:fs/promises';

/**
 * Time on a CPU in milliseconds, of all threads. Counted by the scheduler: the
 * ticks of /proc/PID/stat charge ten milliseconds to a process that a timer has just
 * woken, which at rest is most of what they show. Threads that ended are left out.
 */
export async function readCpuMs(pid: number | undefined): Promise<number> {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    nanoseconds += Number(text.split(' ', 1)[0]);
  }
  return nanoseconds / 1e6;
}

export async function readResidentMiB(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}
