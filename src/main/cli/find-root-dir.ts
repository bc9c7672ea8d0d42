/**
 * Which kubelet of this host a sub-command means: the root directory that was named, that of the environment,
 * or that of the only kubelet that runs. Kubelets name theirs in the files they lock (claim-place.ts).
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentError } from '../../base/errors.ts';
import { CLAIMS_DIRECTORY, DEFAULT_ROOT_DIR } from '../config/local-socket.ts';

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
  processes = '/proc',
): Promise<readonly string[]> {
  const names = await readdir(directory).catch(() => []);
  const claims = names.filter((name) => name.endsWith('.lock')).map((name) => join(directory, name));
  const found = await Promise.all(claims.map((path) => readHolder(path, processes)));
  return [...new Set(found.filter((rootDir) => rootDir !== undefined))].sort();
}

/** A file outlives its kubelet, and another process may have the number by now. */
async function readHolder(path: string, processes: string): Promise<string | undefined> {
  const [, pid, rootDir] = /^(\d{1,10}) (\/.*)$/m.exec(await readFile(path, 'utf8').catch(() => '')) ?? [];
  if (pid === undefined || rootDir === undefined) return undefined;
  const commandLine = await readFile(join(processes, pid, 'cmdline'), 'utf8').catch(() => '');
  return commandLine.includes('kubelet') || commandLine.includes('main.ts') ? rootDir : undefined;
}
