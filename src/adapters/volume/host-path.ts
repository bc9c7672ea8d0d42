/**
 * hostPath: a place of the node, used as it is. Its type is checked, and made
 * where the type says so, before the pod starts. Links are followed: a
 * user who may name a path of the node may also name its target. Also behind a claim.
 */
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { MountedVolume, VolumeDriver, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { hasErrno, toHostError } from '../linux/host-error.ts';
import { open, stat } from '../linux/storage/storage-fs.ts';

type Check = (facts: Stats) => boolean;

const CHECKS: ReadonlyMap<string, readonly [words: string, check: Check]> = new Map<string, [string, Check]>([
  ['DirectoryOrCreate', ['a directory', (facts) => facts.isDirectory()]],
  ['Directory', ['a directory', (facts) => facts.isDirectory()]],
  ['FileOrCreate', ['a file', (facts) => facts.isFile()]],
  ['File', ['a file', (facts) => facts.isFile()]],
  ['Socket', ['a socket file', (facts) => facts.isSocket()]],
  ['CharDevice', ['a character device', (facts) => facts.isCharacterDevice()]],
  ['BlockDevice', ['a block device', (facts) => facts.isBlockDevice()]],
]);

export class HostPathDriver implements VolumeDriver {
  readonly plugin = 'kubernetes.io/host-path';
  readonly source = 'hostPath';
  readonly refreshes = false;

  async mount({ volume, persistent }: VolumeRequest): Promise<Outcome<MountedVolume>> {
    const { path = '', type = '' } = persistent?.volume.spec.hostPath ?? volume.hostPath ?? {};
    if (path.split('/').includes('..')) return refuse(`invalid HostPath \`${path}\`: must not contain '..'`);
    const checked = await checkType(path, type);
    if (!checked.ok) return checked;
    const readOnly = persistent?.readOnly ?? false;
    return accept({ prepared: { hostPath: path, readOnly, selinuxRelabel: false } });
  }

  /** What is on the node stays. */
  async unmount(): Promise<void> {}
}

async function checkType(path: string, type: string): Promise<Outcome<void>> {
  if (type === '') return accept(undefined);
  const wanted = CHECKS.get(type);
  if (wanted === undefined) return refuse(`${type} is an invalid volume type`);
  const [words, check] = wanted;
  try {
    const facts = (await look(path)) ?? (await make(path, type));
    if (facts !== undefined && check(facts)) return accept(undefined);
  } catch (error) {
    throw toHostError('look at', path, error);
  }
  return refuse(`hostPath type check failed: ${path} is not ${words}`);
}

async function look(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function make(path: string, type: string): Promise<Stats | undefined> {
  if (type === 'DirectoryOrCreate') await makeDirectory(path, 0o755);
  else if (type === 'FileOrCreate') await makeFile(path);
  return look(path);
}

/** Its directory must be there. */
async function makeFile(path: string): Promise<void> {
  await stat(dirname(path));
  const handle = await open(path, 'a', 0o644);
  await handle.close();
}
