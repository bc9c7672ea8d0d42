/**
 * The bits that the kernel takes from the mode of whatever this process makes.
 * A mode that loses none need not be set a second time, which would be three more
 * file calls for each directory.
 */
import { readFileSync } from 'node:fs';

/** Unknown until it is first needed; the agent does not change it. */
let umask: number | undefined;

/** Whether something made with this mode has it at once. */
export function umaskKeeps(mode: number): boolean {
  umask ??= readUmask();
  // Bits beyond these are not the caller's to choose when something is made.
  return (mode & umask) === 0 && (mode & ~0o777) === 0;
}

/** For tests that change it. */
export function forgetUmask(): void {
  umask = undefined;
}

/** From /proc: Node's process.umask() changes it for a moment, for every thread. */
function readUmask(): number {
  const digits = /^Umask:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return digits === undefined ? 0o777 : Number.parseInt(digits, 8);
}
