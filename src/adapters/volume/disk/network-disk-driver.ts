/**
 * Disks that come over a network (iSCSI, Fibre Channel), with a file system or
 * as a device. Order of a set-up: note of the pod and its place → attached by
 * the cluster → onto the node → mounted once for the node → bound for the pod.
 * Taking away is the reverse, with the pod's place and note last.
 *
 * Invariant: a disk leaves the node only when no pod has a note of it.
 */

import { dirname, join } from 'node:path';
import { KeyedMutex } from '../../../base/async/keyed-mutex.ts';
import { AgentError } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { NodeProfile } from '../../../core/model/node-profile.ts';
import { joinInside } from '../../../core/model/path-component.ts';
import { renderContextOption, toMountContext } from '../../../core/volume/mount-context.ts';
import { toOwnership } from '../../../core/volume/ownership.ts';
import { toMountOptions } from '../../../core/volume/resolved-volume.ts';
import type { Mounter } from '../../../ports/host/mounter.ts';
import type { Kit } from '../../../ports/kit.ts';
import { attemptStage } from '../../../ports/storage/attempt-stage.ts';
import type { VolumeAttachments } from '../../../ports/storage/volume-attachments.ts';
import type {
  BlockVolumeDriver,
  MappedVolume,
  MountedVolume,
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../../ports/storage/volume-driver.ts';
import { replaceLink } from '../../linux/files/atomic-file.ts';
import { toHostError } from '../../linux/host-error.ts';
import { readContainerFileContext } from '../../linux/machine/selinux-contexts.ts';
import type { LoopDevices } from '../../linux/mount/loop-devices.ts';
import { findOtherMounts, readMountTable } from '../../linux/mountinfo.ts';
import type { runProgram } from '../../linux/program/run-program.ts';
import {
  type BlockMap,
  mapBlockDevice,
  releaseBlockFile,
  removeBlockLink,
  reportMapped,
} from '../place/block-map.ts';
import { mountFormatted, toDeviceMount } from '../place/format-device.ts';
import { bindDirectory, makePlace } from '../place/mount-place.ts';
import { tryOwnership } from '../place/ownership-progress.ts';
import { removeMountPoint } from '../place/remove-mount-point.ts';
import { createDeviceGauge, createFileSystemGauge } from '../place/volume-gauges.ts';
import type { DiskConnector, WantedDisk } from './disk-connector.ts';
import { type DiskRecord, DiskRecords } from './disk-record.ts';

/** What a blank disk gets. */
const DEFAULT_FILE_SYSTEM = 'ext4';
/** mount(8) looks for itself. */
const ANY_FILE_SYSTEM = 'auto';

/** What is read and run on the host; each has a default. */
export interface NetworkDiskHost {
  /** The SELinux label for files of containers; default: from the policy of the node. */
  readonly readFileContext?: () => Promise<string | undefined>;
  readonly run?: typeof runProgram;
  /** The kernel's mount table; default: `/proc/self/mountinfo`. */
  readonly readMounts?: () => Promise<string>;
}

export interface NetworkDiskParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly connector: DiskConnector;
  readonly mounter: Mounter;
  readonly loops: LoopDevices;
  readonly node: Pick<NodeProfile, 'rootDir' | 'selinuxEnabled'>;
  /** Undefined where no controller attaches volumes to the node: they then need none. */
  readonly attachments: VolumeAttachments | undefined;
  readonly host?: NetworkDiskHost;
}

export class NetworkDiskDriver implements VolumeDriver {
  readonly plugin: string;
  readonly source: DiskConnector['source'];
  readonly refreshes = false;
  readonly takesMountOptions = true;
  readonly block: BlockVolumeDriver = {
    map: (request) => this.#map(request),
    unmap: (place, signal) => this.#takeAway(place, 'Block', signal),
  };
  readonly #parts: NetworkDiskParts;
  readonly #records: DiskRecords;
  /** By disk. */
  readonly #mutex = new KeyedMutex();

  constructor(parts: NetworkDiskParts) {
    this.#parts = parts;
    this.plugin = parts.connector.plugin;
    this.source = parts.connector.source;
    this.#records = new DiskRecords(parts.node.rootDir, this.plugin);
  }

  async mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>> {
    const disk = await this.#begin(request, 'Filesystem');
    if (!disk.ok) return disk;
    const { place, readOnly } = disk.value;
    return this.#mutex.run(place, async () => {
      request.signal.throwIfAborted();
      const label = await this.#readContext(request);
      if (!label.ok) return label;
      const made = await this.#mountDisk(request, disk.value, label.value);
      if (!made.ok) return made;
      await this.#bind(request, made.value, readOnly);
      const { directory } = request;
      const prepared = {
        hostPath: directory,
        readOnly,
        selinuxRelabel: !readOnly && label.value === undefined,
      };
      const isMeasured = this.#parts.connector.isMeasured;
      return accept({ prepared, ...(isMeasured ? { gauge: createFileSystemGauge(directory) } : {}) });
    });
  }

  unmount(place: VolumePlace, signal?: AbortSignal): Promise<void> {
    return this.#takeAway(place, 'Filesystem', signal);
  }

  /** Notes the disk with the pod and waits until the cluster has attached it. */
  async #begin(request: VolumeRequest, mode: DiskRecord['mode']): Promise<VolumeOutcome<WantedDisk>> {
    const { podUid, name, directory, signal } = request;
    const { connector, attachments } = this.#parts;
    const isBlock = mode === 'Block';
    const disk = await connector.read(request);
    if (!disk.ok)
      return {
        stage: isBlock
          ? 'MapVolume.NewBlockVolumeMapper initialization'
          : 'MountVolume.NewMounter initialization',
        ...disk,
      };
    const known = `${this.plugin}/${disk.value.name}`;
    await this.#records.write(podUid, name, { name: known, place: disk.value.place, mode });
    if (isBlock) await this.#link(directory, `${this.#globalPlace(disk.value.place, mode)}/${podUid}`);
    else await makePlace(directory);
    attachments?.hold(known, podUid);
    if (attachments === undefined || (await attachments.whenAttached(known, signal))) return disk;
    signal.throwIfAborted();
    const stage = isBlock ? 'MapVolume.WaitForAttach' : 'MountVolume.WaitForAttach';
    return { ...refuse('Volume not attached according to node status'), stage };
  }

  /** Where the disk is mounted for all pods of the node. */
  async #mountDisk(
    request: VolumeRequest,
    { place, fsType, readOnly, attach }: WantedDisk,
    label: string | undefined,
  ): Promise<VolumeOutcome<string>> {
    const { persistent, signal } = request;
    const { mounter, host } = this.#parts;
    const global = this.#globalPlace(place, 'Filesystem');
    if ((await mounter.mountsBelow(global)).includes(global)) return accept(global);
    await makePlace(global);
    const device = await attemptStage('MountVolume.WaitForAttach', () => attach(global, signal));
    if (!device.ok) return device;
    const format = { device: device.value, fsType: fsType || DEFAULT_FILE_SYSTEM, readOnly };
    const asked = persistent === undefined ? [] : toMountOptions(persistent.volume);
    const options = label === undefined ? asked : [...asked, renderContextOption(label)];
    return attemptStage('MountVolume.MountDevice', async () => {
      const mount = toDeviceMount({ ...format, fsType: fsType || ANY_FILE_SYSTEM }, global, options);
      await mountFormatted({ mounter, run: host?.run }, request, format, mount);
      return accept(global);
    });
  }

  async #readContext({ pod, volume, persistent }: VolumeRequest): Promise<Outcome<string | undefined>> {
    const { node, host } = this.#parts;
    const readFileContext = host?.readFileContext ?? readContainerFileContext;
    if (!node.selinuxEnabled) return accept(undefined);
    return toMountContext({ pod, volume, persistent, fileContext: await readFileContext() });
  }

  async #bind(request: VolumeRequest, from: string, readOnly: boolean): Promise<void> {
    const { directory, persistent, signal, pod } = request;
    const { mounter } = this.#parts;
    const asked = persistent === undefined ? [] : toMountOptions(persistent.volume);
    const options = [...new Set([...(readOnly ? ['ro'] : []), ...asked])];
    const isMounted = (await mounter.mountsBelow(directory)).includes(directory);
    if (!isMounted) await bindDirectory(mounter, from, directory, signal);
    // Also when it was bound already: a kill may have come in between.
    if (options.length > 0) await mounter.remount(directory, options, signal);
    const ownership = toOwnership(pod, false, true);
    if (isMounted || readOnly || ownership === undefined) return;
    await tryOwnership(this.#parts.kit, request, ownership);
  }

  async #map(request: VolumeRequest): Promise<VolumeOutcome<MappedVolume>> {
    const disk = await this.#begin(request, 'Block');
    if (!disk.ok) return disk;
    const { place, readOnly, attach } = disk.value;
    const { directory, signal } = request;
    return this.#mutex.run(place, async () => {
      signal.throwIfAborted();
      const map = this.#toBlockMap(request, place);
      await makePlace(map.globalMapPath);
      const device = await attemptStage('MapVolume.WaitForAttach', () => attach(map.globalMapPath, signal));
      if (!device.ok) return device;
      await this.#link(directory, device.value);
      await mapBlockDevice(this.#parts, map, device.value, signal);
      reportMapped(request, map.globalMapPath);
      return accept({ hostPath: directory, readOnly, gauge: createDeviceGauge(device.value) });
    });
  }

  async #takeAway(
    place: VolumePlace,
    mode: DiskRecord['mode'],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { podUid, name, directory } = place;
    const record = (await this.#records.read(podUid, name)) ?? (await this.#adopt(place, mode));
    await this.#mutex.run(record?.place ?? directory, async () => {
      const { mounter, attachments } = this.#parts;
      if (mode === 'Block') {
        if (record !== undefined) await releaseBlockFile(this.#parts, this.#toBlockMap(place, record.place));
      } else
        while ((await mounter.mountsBelow(directory)).includes(directory))
          await mounter.unmount(directory, signal);
      if (record !== undefined) await this.#release(place, record, signal);
      // The directories are removed after the disk: they are the record that there may be one.
      if (mode === 'Block') await removeBlockLink(directory);
      else await removeMountPoint(mounter, directory);
      await this.#records.remove(podUid, name);
      if (record !== undefined) attachments?.release(record.name, podUid);
    });
  }

  /** A disk that another kubelet mounted, before notes were written: the mount table identifies it. */
  async #adopt({ directory }: VolumePlace, mode: DiskRecord['mode']): Promise<DiskRecord | undefined> {
    if (mode === 'Block') return undefined;
    const { node, host } = this.#parts;
    const readMounts = host?.readMounts ?? readMountTable;
    const base = join(node.rootDir, 'plugins', this.plugin);
    const global = findOtherMounts(await readMounts(), directory).find((path) => path.startsWith(`${base}/`));
    return global === undefined ? undefined : { name: '', place: global.slice(base.length + 1), mode };
  }

  /** The last pod that has the disk takes it off the node. */
  async #release(
    { podUid, name }: VolumePlace,
    { place, mode }: DiskRecord,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const others = (await this.#records.all()).filter(
      (use) =>
        (use.podUid !== podUid || use.volume !== name) &&
        use.record.place === place &&
        use.record.mode === mode,
    );
    if (others.length > 0) return;
    const { mounter, connector } = this.#parts;
    const global = this.#globalPlace(place, mode);
    if (mode === 'Filesystem') {
      await this.#requireUnshared(global);
      while ((await mounter.mountsBelow(global)).includes(global)) await mounter.unmount(global, signal);
    }
    await connector.detach(place, global, signal);
    await removeMountPoint(mounter, global);
  }

  /** Another process may have mounted the disk elsewhere: it must not be detached then. */
  async #requireUnshared(global: string): Promise<void> {
    const readMounts = this.#parts.host?.readMounts ?? readMountTable;
    // The same place may show in the file systems of containers as well.
    const own = global.slice(Math.max(0, global.indexOf('/plugins/kubernetes.io/')));
    const foreign = findOtherMounts(await readMounts(), global).filter((path) => !path.includes(own));
    if (foreign.length === 0) return;
    const why = `the device mount path ${JSON.stringify(global)} is still mounted by other references [${foreign.join(' ')}]`;
    throw new AgentError('unavailable', why);
  }

  #globalPlace(place: string, mode: DiskRecord['mode']): string {
    const base = join(this.#parts.node.rootDir, 'plugins', this.plugin);
    return joinInside(mode === 'Block' ? join(base, 'volumeDevices') : base, place);
  }

  #toBlockMap({ podUid, directory }: VolumePlace, place: string): BlockMap {
    return { podUid, link: directory, globalMapPath: this.#globalPlace(place, 'Block') };
  }

  /** In one step: a moment without a link would be a moment without a record. */
  async #link(path: string, target: string): Promise<void> {
    await makePlace(dirname(path));
    try {
      await replaceLink(path, target);
    } catch (error) {
      throw toHostError('link', path, error);
    }
  }
}
