/**
 * Which process listens on a TCP port: its socket from the kernel's table,
 * then the process with a descriptor for that socket. Only looked for when a
 * port is taken; it costs a look at every descriptor of the machine.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeLine } from '../../../base/text/terminal-text.ts';

export interface PortHolder {
  readonly pid: number;
  /** As the process calls itself. */
  readonly program: string;
}

const LISTENING = '0A';
/** Columns of a row, counted from 0. */
const LOCAL = 1;
const STATE = 3;
const INODE = 9;

/** Whether anything of this network namespace listens on it. Never rejects. */
export async function isListenedOn(port: number, proc = '/proc'): Promise<boolean> {
  return (await findSockets(port, proc)).size > 0;
}

/** Undefined when there is none, or it is in another PID namespace or hidden. Never rejects. */
export async function findPortHolder(port: number, proc = '/proc'): Promise<PortHolder | undefined> {
  const sockets = await findSockets(port, proc);
  if (sockets.size === 0) return undefined;
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (!holdsAny(join(proc, pid, 'fd'), sockets)) continue;
    const name = await readFile(join(proc, pid, 'comm'), 'utf8').catch(() => '');
    return { pid: Number(pid), program: escapeLine(name.trim()) };
  }
  return undefined;
}

async function findSockets(port: number, proc: string): Promise<ReadonlySet<string>> {
  const tables = await Promise.all(
    ['net/tcp', 'net/tcp6'].map((name) => readFile(join(proc, name), 'utf8').catch(() => '')),
  );
  return new Set(tables.flatMap((table) => listeningSockets(table, port)));
}

/** As links of descriptors name them. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = table.split('\n').map((line) => line.trim().split(/\s+/));
  return rows
    .filter((row) => row[STATE] === LISTENING && row[LOCAL]?.endsWith(suffix) === true)
    .map((row) => `socket:[${row[INODE]}]`);
}

/** At once: the kernel has it in its memory, and by way of another thread thousands of links take seconds on a busy machine. */
function holdsAny(directory: string, sockets: ReadonlySet<string>): boolean {
  // Processes end while they are looked at, and some are not ours to see.
  const orNone = <T>(look: () => T, none: T): T => {
    try {
      return look();
    } catch {
      return none;
    }
  };
  const names = orNone(() => readdirSync(directory), []);
  return names.some((name) => sockets.has(orNone(() => readlinkSync(join(directory, name)), '')));
}
