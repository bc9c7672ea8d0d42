/**
 * Whether what volumes keep in memory can be kept out of swap: the option
 * `noswap` of tmpfs. A kernel of 6.4 has it, an older one may, which only a
 * mount shows; in a user namespace no kernel takes it. Looked at once, at the start.
 *
 * A kill between mount and unmount leaves a mount that the next look takes away.
 */
import { mkdtemp, readdir, readFile, rmdir } from 'node:fs/promises';
import { release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { supportsNoSwap } from '../../../core/volume/memory-medium.ts';
import type { Mounter } from '../../../ports/host/mounter.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { isInitialUserNamespace } from './parse-proc.ts';

export interface NoSwapSources {
  readonly rootDir: string;
  readonly mounter: Pick<Mounter, 'mount' | 'unmount'>;
  /** Others for tests. */
  readonly proc?: string;
  readonly kernelRelease?: string;
}

const PREFIX = 'tmpfs-noswap-test-';

/** Never rejects: what cannot be found out counts as no. */
export async function canKeepOutOfSwap(sources: NoSwapSources): Promise<boolean> {
  const { rootDir, mounter, proc = '/proc', kernelRelease = release() } = sources;
  const users = await readFile(join(proc, 'self/uid_map'), 'utf8').catch(() => '');
  if (!isInitialUserNamespace(users)) return false;
  if (supportsNoSwap(kernelRelease)) return true;
  const prefix = join(rootDir, 'plugins/kubernetes.io/empty-dir', PREFIX);
  try {
    await makeDirectory(dirname(prefix), 0o750);
    await removeOld(mounter, prefix);
    const target = await mkdtemp(prefix);
    return await mountsAt(mounter, target).finally(() => rmdir(target));
  } catch {
    return false;
  }
}

async function mountsAt(mounter: Pick<Mounter, 'mount' | 'unmount'>, target: string): Promise<boolean> {
  const refused = await mounter
    .mount({ fsType: 'tmpfs', source: 'tmpfs', target, options: ['noswap'] })
    .then(() => false)
    .catch(() => true);
  if (refused) return false;
  await mounter.unmount(target);
  return true;
}

async function removeOld(mounter: Pick<Mounter, 'unmount'>, prefix: string): Promise<void> {
  const directory = dirname(prefix);
  for (const name of await readdir(directory)) {
    if (!name.startsWith(basename(prefix))) continue;
    await mounter.unmount(join(directory, name)).catch(() => {});
    await rmdir(join(directory, name));
  }
}
