/**
 * What the other programs of this machine take from it. Two ways to do the
 * same work are compared by the time that was left for them: who asks for
 * more processors at once also gets a larger share beside busy neighbours,
 * without being any quicker.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The kernel counts processor time in hundredths of a second, whatever its own tick is. */
const TICK_MS = 10;
const OURS = /containerd|kubelet/;
const KERNEL_THREADS = 2;

export class Neighbours {
  readonly #before = readOthers();

  /** How much of the elapsed time the machine was not theirs, since this object was made. */
  timeLeftMs(elapsedMs: number): number {
    const now = readOthers();
    let takenMs = 0;
    for (const [pid, usedMs] of this.#before) takenMs += Math.max(0, (now.get(pid) ?? usedMs) - usedMs);
    return Math.max(0, elapsedMs - takenMs / availableParallelism());
  }
}

/** Processor time of every other program, by process id. One that comes or goes in between does not count. */
function readOthers(): Map<string, number> {
  const found = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (Number(pid) === process.pid || OURS.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) continue;
      // The name stands in parentheses and may hold anything; fields are counted from behind it.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(fields[1]) === KERNEL_THREADS) continue;
      const ticks = Number(fields[11]) + Number(fields[12]);
      found.set(pid, ticks * TICK_MS);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}
