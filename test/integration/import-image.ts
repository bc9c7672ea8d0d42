/** Puts an image made on the spot into the runtime of the tests: busybox with users and groups of its own. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeImage } from '../../scripts/host/make-image.ts';
import { containerdEndpoint } from './node.ts';

const run = promisify(execFile);
const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const BIN_DIR = join(HOST_DIR, 'bin');
const APPLETS = ['sh', 'grep', 'tr', 'cat'];

export interface OwnImage {
  /** As its configuration declares it: a number or a name. */
  readonly user: string;
  readonly passwd: string;
  readonly group: string;
}

/** The caller removes the image again. */
export async function importImage(name: string, { user, passwd, group }: OwnImage): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'own-image-'));
  try {
    const rootfs = join(work, 'rootfs');
    for (const directory of ['bin', 'etc', 'proc', 'sys', 'dev', 'tmp'])
      await mkdir(join(rootfs, directory), { recursive: true });
    await cp(join(BIN_DIR, 'tools', 'busybox'), join(rootfs, 'bin', 'busybox'), { dereference: true });
    for (const applet of APPLETS) await symlink('busybox', join(rootfs, 'bin', applet));
    await writeFile(join(rootfs, 'etc', 'passwd'), passwd);
    await writeFile(join(rootfs, 'etc', 'group'), group);
    const archive = join(work, 'image.tar');
    makeImage({ name, rootfs, output: archive, user });
    const socket = containerdEndpoint().replace('unix://', '');
    await run(join(BIN_DIR, 'containerd-2.1', 'ctr'), [
      '-a',
      socket,
      '-n',
      'k8s.io',
      'images',
      'import',
      archive,
    ]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
