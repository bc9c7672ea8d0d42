/**
 * Reading and writing the cgroup file system: words of a control file, child
 * directories, process ids. No control file is ever created: the kernel makes
 * them.
 *
 * Small readings are made at once: the kernel answers out of its memory, and a
 * call by way of another thread costs ten times as much; so are cgroups made and
 * removed, which takes the kernel some 50 µs: it frees what they held later. What may take it a
 * while has a thread: writing (a lower limit makes it reclaim), and lists that a container can make long.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync, readFileSync, statSync, write } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentError } from '../../../base/errors.ts';
import { hasErrno, toHostError } from '../host-error.ts';
import { umaskKeeps } from '../umask.ts';

const MODE = 0o755;

const writeTo = promisify(write) as (descriptor: number, text: string) => Promise<unknown>;

/** The words of a control file of few words; none when it cannot be read. */
export function readWords(file: string): string[] {
  try {
    return toWords(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}

function toWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Undefined when written, else the refusal. */
export async function writeControl(file: string, value: string): Promise<AgentError | undefined> {
  try {
    // Only the write can take the kernel a while.
    const descriptor = openSync(file, constants.O_WRONLY);
    try {
      await writeTo(descriptor, value);
    } finally {
      closeSync(descriptor);
    }
    return undefined;
  } catch (error) {
    return toHostError(`write ${JSON.stringify(value)} to`, file, error);
  }
}

/** Names of the cgroups right below; none when there is no such directory. */
export async function listChildren(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Processes in the cgroup itself. One outside our PID namespace reads as 0 and is left out, as is our own. */
export async function listProcesses(directory: string): Promise<number[]> {
  return (await readProcesses(directory)).filter(isMortal);
}

/** True when every process there and below may be killed: none is ours, the first, or outside our PID namespace. */
export async function holdsOnlyMortals(directory: string): Promise<boolean> {
  if (!(await readProcesses(directory)).every(isMortal)) return false;
  for (const child of await listChildren(directory))
    if (!(await holdsOnlyMortals(join(directory, child)))) return false;
  return true;
}

/** Of a threaded cgroup none: the one above that is not has all of them. */
async function readProcesses(directory: string): Promise<number[]> {
  const text = await readFile(join(directory, 'cgroup.procs'), 'utf8').catch(() => '');
  return toWords(text).map(Number);
}

const isMortal = (pid: number): boolean => pid > 1 && pid !== process.pid;

export async function listProcessesBelow(directory: string): Promise<number[]> {
  const pids = await listProcesses(directory);
  for (const child of await listChildren(directory))
    pids.push(...(await listProcessesBelow(join(directory, child))));
  return pids;
}

/** Makes the cgroup and its missing parents; one that is there stays as it is. Throws the system's error. */
export function makeCgroupDirectory(path: string): void {
  try {
    mkdirSync(path, MODE);
  } catch (error) {
    if (hasErrno(error, 'EEXIST') && isDirectory(path)) return;
    if (!hasErrno(error, 'ENOENT') || dirname(path) === path) throw error;
    makeCgroupDirectory(dirname(path));
    mkdirSync(path, MODE);
  }
  if (!umaskKeeps(MODE)) chmodSync(path, MODE);
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    if (hasErrno(error, 'ENOTDIR')) return false;
    throw toHostError('look at cgroup', path, error);
  }
}
