/**
 * Which kubelet of this host a sub-command means: the root directory that was named, that of the environment,
 * or that of the only kubelet that runs. Kubelets name theirs in the files they lock (claim-place.ts).
 */
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { CLAIMS_DIRECTORY, DEFAULT_ROOT_DIR, toLocalSocket } from '../../config/local-socket.ts';

export interface RootDirHints {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of kubelets that run. */
  readonly findRunning: () => Promise<readonly string[]>;
}

/** Rejects with AgentError when several may be meant. */
export async function findRootDir(named: string | undefined, hints: RootDirHints): Promise<string> {
  const chosen = named ?? (hints.env['KUBELET_ROOT_DIR'] || undefined);
  if (chosen !== undefined) return chosen;
  const running = [...new Set(await hints.findRunning())];
  if (running.length > 1 && !running.includes(DEFAULT_ROOT_DIR)) {
    const all = running.map((path) => JSON.stringify(path)).join(', ');
    const how = 'name one with --root-dir or KUBELET_ROOT_DIR';
    throw new AgentError('invalid-argument', `several kubelets run on this host: ${how}: ${all}`);
  }
  return running.length === 1 ? (running[0] ?? DEFAULT_ROOT_DIR) : DEFAULT_ROOT_DIR;
}

/** Root directories of the kubelets that hold a claim and are alive; none where only root may look. */
export async function findRunningKubelets(
  directory = CLAIMS_DIRECTORY,
  locksFile = '/proc/locks',
): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => []);
  const locked = await readLockedInodes(locksFile);
  const claims = names.filter((name) => name.endsWith('.lock')).map((name) => join(directory, name));
  const found = await Promise.all(claims.map((path) => readHolder(path, locked)));
  return [...new Set(found.filter((rootDir) => rootDir !== undefined))].sort();
}

/** A file outlives its kubelet, and another process may have its number by now: only a lock or an answer counts. */
async function readHolder(path: string, locked: ReadonlySet<number>): Promise<string | undefined> {
  const [, rootDir] = /^\d{1,10} (\/.*)$/m.exec(await readFile(path, 'utf8').catch(() => '')) ?? [];
  if (rootDir === undefined) return undefined;
  const inode = (await stat(path).catch(() => undefined))?.ino;
  const isHeld = inode !== undefined && locked.has(inode);
  return isHeld || (await answers(toLocalSocket(rootDir))) ? rootDir : undefined;
}

/** The kernel lists no lock whose holder is outside of our process namespace. */
async function readLockedInodes(path: string): Promise<ReadonlySet<number>> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return new Set([...text.matchAll(/ FLOCK .*:(\d+) 0 EOF$/gm)].map(([, inode]) => Number(inode)));
}

/** The kernel answers for a listener that is busy. */
async function answers(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
