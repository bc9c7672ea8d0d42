/** The machine as the checks of the doctor read it; nothing here writes. Another root directory is for tests. */
import { constants, readFileSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { inspectRuntime } from '../../../adapters/cri/inspect-runtime.ts';
import { findPortHolder, isListenedOn } from '../../../adapters/linux/machine/port-holder.ts';
import { SystemClock } from '../../../adapters/linux/machine/system-clock.ts';
import { statfs } from '../../../adapters/linux/storage/storage-fs.ts';
import type { Clock } from '../../../base/async/clock.ts';
import { toFileSystemUsage, type VolumeUsage } from '../../../core/volume/volume-usage.ts';
import { connectOnce } from '../run/find-runtime.ts';

export interface MachineView {
  readonly root: string;
  readonly userId: number;
  readonly clock: Clock;
  readonly inspectRuntime: typeof inspectRuntime;
  /** `open`, or an errno. */
  readonly trySocket: (path: string) => Promise<string>;
  /** Rejects where there is no such place. */
  readonly readUsage: (path: string) => Promise<VolumeUsage>;
}

export function thisMachine(): MachineView {
  return {
    root: '/',
    userId: process.getuid?.() ?? 0,
    clock: new SystemClock(),
    inspectRuntime,
    trySocket: connectOnce,
    readUsage: async (path) => toFileSystemUsage(await statfs(path)),
  };
}

/** Of /proc, /sys and the like, which answer at once; empty when there is none. */
export function readKernelText({ root }: Pick<MachineView, 'root'>, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8').catch(() => '');
}

/** At once, for files of every process: the kernel has them in its memory, and there may be thousands. */
export function readKernelTextNow({ root }: Pick<MachineView, 'root'>, path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}

export function listMachineNames({ root }: Pick<MachineView, 'root'>, path: string): Promise<string[]> {
  return readdir(join(root, path)).catch(() => []);
}

export function exists({ root }: Pick<MachineView, 'root'>, path: string): Promise<boolean> {
  return access(join(root, path)).then(
    () => true,
    () => false,
  );
}

/** Those of `names` that no directory of PATH holds. */
export async function findMissingPrograms(names: readonly string[], path: string): Promise<string[]> {
  const found = await Promise.all(names.map((name) => isProgram(name, path.split(delimiter))));
  return names.filter((_, index) => !found[index]);
}

async function isProgram(name: string, directories: readonly string[]): Promise<boolean> {
  const tries = directories.map((directory) => access(join(directory, name), constants.X_OK));
  return (await Promise.allSettled(tries)).some(({ status }) => status === 'fulfilled');
}

export interface TakenPort {
  readonly isTaken: boolean;
  readonly holder: { readonly pid: number; readonly program: string } | undefined;
}

export async function readPort({ root }: Pick<MachineView, 'root'>, port: number): Promise<TakenPort> {
  const proc = join(root, 'proc');
  const isTaken = await isListenedOn(port, proc);
  return { isTaken, holder: isTaken ? await findPortHolder(port, proc) : undefined };
}
