/**
 * nfs: a directory of a file server, mounted once for each pod. The server may
 * be dead: its mounts are known by the mount table alone and never looked at.
 */
import { dirname } from 'node:path';
import type { Clock } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { hasCode } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { toMountOptions } from '../../core/volume/resolved-volume.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type {
  MountedVolume,
  VolumeDriver,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { toHostError } from '../linux/host-error.ts';
import { removeMountPoint } from './place/remove-mount-point.ts';
import { createFileSystemGauge } from './place/volume-gauges.ts';

const DIRECTORY_MODE = 0o750;
/** A host name or an address: mount(8) and its helper get it as the beginning of an argument. */
const SERVER = /^[A-Za-z0-9:][\w.:%-]*$/;
const PATH = /^\/[^\p{Cc}]*$/u;
/** Then what waits for the server is given up. */
const PATIENCE_MS = 60_000;

export interface NfsParts {
  readonly mounter: Mounter;
  readonly clock: Clock;
}

export class NfsDriver implements VolumeDriver {
  readonly plugin = 'kubernetes.io/nfs';
  readonly source = 'nfs';
  readonly refreshes = false;
  readonly takesMountOptions = true;
  readonly #parts: NfsParts;

  constructor(parts: NfsParts) {
    this.#parts = parts;
  }

  async mount(request: VolumeRequest): Promise<Outcome<MountedVolume>> {
    const { volume, persistent, directory, signal } = request;
    const { mounter } = this.#parts;
    const { server = '', path = '', readOnly: own = false } = persistent?.volume.spec.nfs ?? volume.nfs ?? {};
    const readOnly = persistent?.readOnly ?? own;
    if (!SERVER.test(server)) return refuse(`invalid nfs server ${JSON.stringify(server)}`);
    if (!PATH.test(path)) return refuse(`invalid nfs path ${JSON.stringify(path)}`);
    const mounted = accept({
      prepared: { hostPath: directory, readOnly, selinuxRelabel: false },
      gauge: createFileSystemGauge(directory),
    });
    if ((await mounter.mountsBelow(directory)).includes(directory)) return mounted;
    try {
      await makeDirectory(dirname(directory), DIRECTORY_MODE);
      await makeDirectory(directory, DIRECTORY_MODE);
    } catch (error) {
      throw toHostError('create directory', directory, error);
    }
    const asked = persistent === undefined ? [] : toMountOptions(persistent.volume);
    const options = [...new Set([...asked, ...(readOnly ? ['ro'] : [])])].sort();
    const source = `${server.includes(':') ? `[${server}]` : server}:${path}`;
    try {
      await mounter.mount({ fsType: 'nfs', source, target: directory, options }, signal);
    } catch (error) {
      await removeMountPoint(mounter, directory).catch(() => {});
      throw error;
    }
    return mounted;
  }

  async unmount({ directory }: VolumePlace): Promise<void> {
    await removeMountPoint(this.#parts.mounter, directory, (target) => this.#unmountOrForce(target));
  }

  async #unmountOrForce(target: string): Promise<void> {
    const { mounter, clock } = this.#parts;
    using deadline = new Deadline(clock, { timeoutMs: PATIENCE_MS });
    try {
      await mounter.unmount(target, deadline.signal);
    } catch (error) {
      if (!deadline.expired || !hasCode(error, 'cancelled')) throw error;
      await mounter.unmount(target, undefined, true);
    }
  }
}
