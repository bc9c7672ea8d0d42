/**
 * local: a directory or a disk of this node behind a claim. A directory is
 * bound into the pod's place; a disk is mounted once for the node, formatted
 * if it is blank, and bound from there. Content outlives the pod: nothing is
 * ever removed but empty places.
 */

import type { Clock } from '../../base/async/clock.ts';
import { KeyedMutex } from '../../base/async/keyed-mutex.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { parsePodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { toPathComponent } from '../../core/model/path-component.ts';
import { podsDirectory, volumeDirectory } from '../../core/model/pod-paths.ts';
import { toOwnership } from '../../core/volume/ownership.ts';
import { toMountOptions } from '../../core/volume/resolved-volume.ts';
import { GROWING_MAP, GROWING_MOUNT } from '../../core/volume/volume-source.ts';
import type { Mounter } from '../../ports/host/mounter.ts';
import type {
  BlockVolumeDriver,
  MappedVolume,
  MountedVolume,
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { hasErrno, toHostError } from '../linux/host-error.ts';
import type { LoopDevices } from '../linux/mount/loop-devices.ts';
import type { runProgram } from '../linux/program/run-program.ts';
import { realpath, stat } from '../linux/storage/storage-fs.ts';
import type { LocalExpansion } from './local-expansion.ts';
import { mapBlockDevice, reportMapped, unmapBlockDevice } from './place/block-map.ts';
import { mountFormatted, toDeviceMount } from './place/format-device.ts';
import { growFileSystem } from './place/grow-file-system.ts';
import { bindDirectory, makePlace } from './place/mount-place.ts';
import { setOwnershipReportingProgress } from './place/ownership-progress.ts';
import { removeMountPoint } from './place/remove-mount-point.ts';
import { createDeviceGauge, createFileSystemGauge } from './place/volume-gauges.ts';

const PLUGIN = 'kubernetes.io/local-volume';
const DEFAULT_FILE_SYSTEM = 'ext4';

export interface LocalParts {
  readonly mounter: Mounter;
  readonly loops: LoopDevices;
  readonly node: Pick<NodeProfile, 'rootDir'>;
  readonly clock: Clock;
  readonly run?: typeof runProgram;
  /** Undefined without an API server. */
  readonly expansion?: LocalExpansion | undefined;
}

type Kind = 'directory' | 'disk';

export class LocalDriver implements VolumeDriver {
  readonly plugin = PLUGIN;
  readonly source = 'local';
  /** A volume of a cluster may grow while it is in use. */
  readonly refreshes: boolean;
  readonly takesMountOptions = true;
  readonly block: BlockVolumeDriver = {
    map: (request) => this.#map(request),
    unmap: (place) => unmapBlockDevice(this.#parts, this.#toBlockMap(place)),
  };
  readonly #parts: LocalParts;
  readonly #mutex = new KeyedMutex();

  constructor(parts: LocalParts) {
    this.#parts = parts;
    this.refreshes = parts.expansion !== undefined;
  }

  async mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>> {
    const { persistent, directory, name } = request;
    const path = persistent?.volume.spec.local?.path ?? '';
    const kind = await readKind(path);
    if (!kind.ok) return { ...kind, stage: 'MountVolume.NewMounter initialization' };
    if (path.split('/').includes('..')) return refuse(`invalid path: ${path} must not contain '..'`);
    const readOnly = persistent?.readOnly ?? false;
    await this.#mutex.run(name, async () => {
      // Before the disk is mounted: after a kill the directory shows that it may be.
      await makePlace(directory);
      const from = kind.value === 'directory' ? path : await this.#mountDisk(request, path);
      await this.#bind(request, from, readOnly);
    });
    const grown = await this.#expand(request, kind.value === 'disk' ? path : undefined);
    if (!grown.ok) return { ...grown, stage: GROWING_MOUNT };
    return accept({
      prepared: { hostPath: directory, readOnly, selinuxRelabel: !readOnly },
      gauge: createFileSystemGauge(directory),
      refreshAtMs: this.#parts.expansion?.lookAgainAt(request),
    });
  }

  async unmount({ podUid, name, directory }: VolumePlace): Promise<void> {
    const { mounter } = this.#parts;
    await this.#mutex.run(name, async () => {
      while ((await mounter.mountsBelow(directory)).includes(directory)) await mounter.unmount(directory);
      // The directory is removed after the disk: it is the record that there may be a disk to unmount.
      if ((await this.#usersOf(name)).every((uid) => uid === podUid)) await this.#forgetDisk(name);
      await removeMountPoint(mounter, directory);
    });
  }

  async #forgetDisk(name: string): Promise<void> {
    const { mounter, expansion } = this.#parts;
    await removeMountPoint(mounter, this.#diskPlace(name));
    expansion?.forget(name);
  }

  /** Without a disk there is no file system of the volume's own. */
  async #expand(request: VolumeRequest, disk: string | undefined): Promise<Outcome<void>> {
    const { expansion, run } = this.#parts;
    if (expansion === undefined) return accept(undefined);
    return expansion.perform(request, async () => {
      if (disk !== undefined) await growFileSystem(disk, this.#diskPlace(request.name), request.signal, run);
    });
  }

  async #bind(request: VolumeRequest, from: string, readOnly: boolean): Promise<void> {
    const { directory, persistent, podUid, name, signal } = request;
    const { mounter } = this.#parts;
    const options = [
      ...(readOnly ? ['ro'] : []),
      ...(persistent === undefined ? [] : toMountOptions(persistent.volume)),
    ];
    const others = (await this.#usersOf(name)).filter((uid) => uid !== podUid);
    const isMounted = (await mounter.mountsBelow(directory)).includes(directory);
    if (!isMounted) await bindDirectory(mounter, from, directory, signal);
    // Also when it was bound already: a kill may have come in between.
    if (options.length > 0) await mounter.remount(directory, [...new Set(options)], signal);
    if (isMounted || readOnly) return;
    if (others.length === 0) await this.#own(request);
    else await warnOfGroup(request);
  }

  async #own(request: VolumeRequest): Promise<void> {
    const ownership = toOwnership(request.pod, false, true);
    if (ownership === undefined) return;
    await setOwnershipReportingProgress(this.#parts.clock, request, request.directory, ownership);
  }

  /** Where the disk is mounted for all pods of the node. */
  async #mountDisk(request: VolumeRequest, device: string): Promise<string> {
    const { name, persistent } = request;
    const { mounter } = this.#parts;
    const place = this.#diskPlace(name);
    if ((await mounter.mountsBelow(place)).includes(place)) return place;
    await makePlace(place);
    const fsType = persistent?.volume.spec.local?.fsType || DEFAULT_FILE_SYSTEM;
    const format = { device, fsType, readOnly: persistent?.readOnly ?? false };
    const options = persistent === undefined ? [] : toMountOptions(persistent.volume);
    await mountFormatted(this.#parts, request, format, toDeviceMount(format, place, options));
    return place;
  }

  #diskPlace(name: string): string {
    return `${this.#parts.node.rootDir}/plugins/${PLUGIN}/mounts/${toPathComponent(name)}`;
  }

  /** Pods of this node into which the volume is mounted. */
  async #usersOf(name: string): Promise<string[]> {
    const { mounter, node } = this.#parts;
    const pods = podsDirectory(node.rootDir);
    const mounts = await mounter.mountsBelow(pods);
    return mounts.flatMap((mount) => {
      const uid = parsePodUid(mount.slice(pods.length + 1).split('/', 1)[0] ?? '');
      return uid !== undefined && mount === volumeDirectory(node.rootDir, uid, PLUGIN, name) ? [uid] : [];
    });
  }

  #toBlockMap({ podUid, directory, name }: VolumePlace) {
    // Upstream writes `~` here, unlike for other kinds.
    const base = `${this.#parts.node.rootDir}/plugins/${PLUGIN.replace('/', '~')}/volumeDevices`;
    return { podUid, link: directory, globalMapPath: `${base}/${toPathComponent(name)}` };
  }

  async #map(request: VolumeRequest): Promise<VolumeOutcome<MappedVolume>> {
    const { persistent, directory, signal } = request;
    const path = persistent?.volume.spec.local?.path ?? '';
    const kind = await readKind(path);
    if (!kind.ok) return { ...kind, stage: 'MapVolume.NewBlockVolumeMapper initialization' };
    let device: string;
    try {
      device = await realpath(path);
    } catch (error) {
      throw toHostError('resolve', path, error);
    }
    const map = this.#toBlockMap(request);
    await mapBlockDevice(this.#parts, map, device, signal);
    reportMapped(request, map.globalMapPath);
    const grown = await this.#expand(request, undefined);
    if (!grown.ok) return { ...grown, stage: GROWING_MAP };
    const gauge = createDeviceGauge(device);
    const refreshAtMs = this.#parts.expansion?.lookAgainAt(request);
    return accept({
      hostPath: directory,
      readOnly: persistent?.readOnly ?? false,
      gauge,
      ...(refreshAtMs !== undefined && { refreshAtMs }),
    });
  }
}

async function readKind(path: string): Promise<Outcome<Kind>> {
  if (path === '') return refuse('local volume source is nil or local path is not set');
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) return accept('directory');
    return facts.isBlockDevice() ? accept('disk') : refuse('only directory and block device are supported');
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return refuse(`path ${JSON.stringify(path)} does not exist`);
    throw toHostError('look at', path, error);
  }
}

/** The files have another group for the pods that are here already; it is left to them. */
async function warnOfGroup({ pod, directory, name, warn }: VolumeRequest): Promise<void> {
  const fsGroup = pod.spec.securityContext?.fsGroup;
  if (fsGroup === undefined) return;
  const { gid } = await stat(directory);
  if (gid === fsGroup) return;
  const asked = `The requested fsGroup is ${fsGroup}, but the volume ${name} has GID ${gid}.`;
  warn('AlreadyMountedVolume', `${asked} The volume may not be shareable.`);
}
