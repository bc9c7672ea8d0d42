/**
 * A kind of volume on the fake disk: a directory with a mount on it, set up
 * and taken away in the steps of the real ones, so that a kill can come
 * between them. Stands for emptyDir in memory.
 */
import { accept, type Outcome } from '../../src/base/outcome.ts';
import type { HostFiles } from '../../src/ports/host/host-files.ts';
import type { Mounter } from '../../src/ports/host/mounter.ts';
import type {
  MountedVolume,
  SubPathBinder,
  VolumeDriver,
  VolumePlace,
  VolumeRequest,
} from '../../src/ports/storage/volume-driver.ts';

export class FakeVolumeDriver implements VolumeDriver {
  readonly plugin = 'kubernetes.io/empty-dir';
  readonly source = 'emptyDir';
  readonly refreshes = false;
  readonly #files: HostFiles;
  readonly #mounter: Mounter;

  constructor(files: HostFiles, mounter: Mounter) {
    this.#files = files;
    this.#mounter = mounter;
  }

  async mount({ directory }: VolumeRequest): Promise<Outcome<MountedVolume>> {
    await this.#files.makeDirectory(directory, 0o777);
    const isMounted = (await this.#mounter.mountsBelow(directory)).includes(directory);
    if (!isMounted)
      await this.#mounter.mount({ fsType: 'tmpfs', source: 'tmpfs', target: directory, options: [] });
    return accept({ prepared: { hostPath: directory, readOnly: false, selinuxRelabel: true } });
  }

  async unmount({ directory }: VolumePlace): Promise<void> {
    if ((await this.#mounter.mountsBelow(directory)).includes(directory))
      await this.#mounter.unmount(directory);
    await this.#files.removeTree(directory);
  }
}

/** For tests in which no container mounts a part of a volume. */
export const noSubPaths: SubPathBinder = {
  bind: async () => ({ failed: 'prepare' }),
  readFile: async () => undefined,
};
