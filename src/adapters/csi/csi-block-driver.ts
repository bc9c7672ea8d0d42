/**
 * Volumes of storage drivers that pods get as devices. Order of a set-up:
 * attached? → data file and link of the pod → stage once for the node →
 * publish for the pod → device held open; teardown is the reverse, with the
 * link last: it is the record of what there is to undo.
 */
import { dirname } from 'node:path';
import type { KeyedMutex } from '../../base/async/keyed-mutex.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { accept, refuse } from '../../base/outcome.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import { toCsiAccessMode } from '../../core/volume/csi/csi-access.ts';
import { toPodContext } from '../../core/volume/csi/csi-context.ts';
import { type CsiVolume, toCsiVolume } from '../../core/volume/csi/csi-volume.ts';
import { GROWING_MAP, type MountStage } from '../../core/volume/volume-source.ts';
import type {
  BlockVolumeDriver,
  MappedVolume,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { replaceLink } from '../linux/files/atomic-file.ts';
import { makeDirectory } from '../linux/files/make-directory.ts';
import { toHostError } from '../linux/host-error.ts';
import { realpath } from '../linux/storage/storage-fs.ts';
import {
  mapBlockDevice,
  releaseBlockFile,
  removeBlockLink,
  reportMapped,
} from '../volume/place/block-map.ts';
import { waitForAttach } from './csi-attach.ts';
import type { CsiClient, CsiUse } from './csi-client.ts';
import { notRegistered } from './csi-drivers.ts';
import type { CsiExpansion } from './csi-expansion.ts';
import { createCsiGauge } from './csi-gauge.ts';
import type { CsiParts } from './csi-parts.ts';
import { type BlockPaths, blockPaths, CSI_PLUGIN, uniqueVolumeName } from './csi-paths.ts';
import { readSecret } from './csi-reads.ts';
import { findPodDevices, isSameVolume } from './csi-staging.ts';
import {
  readVolumeData,
  removeEmpty,
  removeVolumeData,
  toVolumeData,
  uniqueNameOf,
  type VolumeData,
  writeVolumeData,
} from './volume-data.ts';

const DIRECTORY_MODE = 0o750;

interface Wanted {
  readonly request: VolumeRequest;
  readonly volume: CsiVolume;
  readonly driver: CsiDriverSpec | undefined;
  readonly publishContext: StringMap;
  readonly paths: BlockPaths;
}

export class CsiBlockDriver implements BlockVolumeDriver {
  readonly #parts: CsiParts;
  readonly #mutex: KeyedMutex;
  readonly #expansion: CsiExpansion;

  /** `mutex` is that of all volumes of storage drivers. */
  constructor(parts: CsiParts, mutex: KeyedMutex, expansion: CsiExpansion) {
    this.#parts = parts;
    this.#expansion = expansion;
    this.#mutex = mutex;
  }

  async map(request: VolumeRequest): Promise<VolumeOutcome<MappedVolume>> {
    const { pod, volume: named, persistent, signal, podUid, name } = request;
    const found = toCsiVolume(pod, named, persistent, '');
    if (!found.ok) return found;
    const volume = found.value;
    if (request.isRemount) {
      await this.#growInUse(request, volume);
      return accept(this.#toMapped(request, volume));
    }
    const driver = await this.#parts.cluster.driverObjects.get(volume.driver, signal);
    const publishContext = await waitForAttach(this.#parts, request, volume, driver);
    if (!publishContext.ok) return { ...publishContext, stage: 'MapVolume.WaitForAttach' };
    await this.#parts.drivers.whenRegistered(volume.driver, signal);
    const paths = blockPaths(this.#parts.node.rootDir, name, podUid);
    return this.#mutex.run(uniqueVolumeName(volume.driver, volume.handle), async () => {
      signal.throwIfAborted();
      return this.#map({ request, volume, driver, publishContext: publishContext.value, paths });
    });
  }

  async unmap(place: VolumePlace, signal?: AbortSignal): Promise<void> {
    const { data: directory } = blockPaths(this.#parts.node.rootDir, place.name, place.podUid);
    const data = await readVolumeData(directory);
    // Without data no driver was ever called.
    if (data === undefined) {
      await releaseBlockFile(this.#parts.block, this.#toMap(place));
      return removeBlockLink(place.directory);
    }
    await this.#parts.drivers.whenRegistered(data.driverName, signal);
    await this.#mutex.run(uniqueNameOf(data), () => this.#unmap(place, data, signal));
  }

  async #map(wanted: Wanted): Promise<VolumeOutcome<MappedVolume>> {
    const { request, volume, paths } = wanted;
    const { directory, signal } = request;
    const client = this.#parts.drivers.client(volume.driver);
    if (client === undefined)
      return fail(
        'MapVolume.SetUpDevice',
        `${CSI_PLUGIN}: blockMapper.SetUpDevice failed to get CSI client: ${notRegistered(volume.driver)}`,
      );
    const capabilities = await client.capabilities(signal);
    const accessMode = toCsiAccessMode(volume.accessModes, capabilities);
    if (accessMode === undefined) return refuse(`unsupported access mode ${volume.accessModes?.[0] ?? ''}`);
    const use = { kind: 'block', accessMode } as const;
    await writeVolumeData(paths.data, toVolumeData(volume, this.#parts.node.nodeName));
    await link(paths.publish, directory);
    if (capabilities.has('stage-unstage')) {
      const staged = await this.#stage(wanted, client, use);
      if (!staged.ok) return staged;
    }
    const published = await this.#publish(wanted, client, use);
    if (!published.ok) return published;
    const device = await resolve(paths.publish);
    // In one step: a moment without a link would be a moment without a record.
    await link(device, directory);
    await mapBlockDevice(this.#parts.block, this.#toMap(request), device, signal);
    reportMapped(request, paths.map);
    const place = { client, use, volumePath: device, stagingPath: paths.staging };
    const grown = await this.#expansion.performAtSetUp(request, volume, capabilities, place);
    if (!grown.ok) return fail(GROWING_MAP, grown.message);
    return accept(this.#toMapped(request, volume));
  }

  async #growInUse(request: VolumeRequest, volume: CsiVolume): Promise<void> {
    const expansion = this.#expansion.decideInUse(volume, request.persistent);
    if (expansion === undefined) return;
    const { staging, publish } = blockPaths(this.#parts.node.rootDir, request.name, request.podUid);
    await this.#mutex.run(uniqueVolumeName(volume.driver, volume.handle), async () => {
      const client = this.#parts.drivers.client(volume.driver);
      if (client === undefined) return;
      const accessMode = toCsiAccessMode(volume.accessModes, await client.capabilities(request.signal));
      if (accessMode === undefined) return;
      const use = { kind: 'block', accessMode } as const;
      const place = { client, use, volumePath: await resolve(publish), stagingPath: staging };
      await this.#expansion.performInUse(request, volume, expansion, place);
    });
  }

  #toMapped({ directory, name, podUid }: VolumeRequest, volume: CsiVolume): MappedVolume {
    const refreshAtMs = this.#expansion.lookAgainAt(volume);
    const { map } = blockPaths(this.#parts.node.rootDir, name, podUid);
    const gauge = createCsiGauge(this.#parts, volume, `${map}/${podUid}`);
    const device = { hostPath: directory, readOnly: volume.readOnly, gauge };
    return refreshAtMs === undefined ? device : { ...device, refreshAtMs };
  }

  async #stage(
    { request, volume, publishContext, paths }: Wanted,
    client: CsiClient,
    use: CsiUse,
  ): Promise<VolumeOutcome<void>> {
    const stage: MountStage = 'MapVolume.SetUpDevice';
    const { signal } = request;
    const secrets = await readSecret(this.#parts.cluster, 'NodeStageSecretRef', volume.secrets.stage, signal);
    if (!secrets.ok) return { ...secrets, stage };
    await make(paths.staging);
    const volumeContext = volume.attributes;
    const call = { volumeId: volume.handle, stagingPath: paths.staging, publishContext, volumeContext };
    return attempt(stage, () => client.stage({ ...call, secrets: secrets.value, use }, signal));
  }

  async #publish(
    { request, volume, driver, publishContext, paths }: Wanted,
    client: CsiClient,
    use: CsiUse,
  ): Promise<VolumeOutcome<void>> {
    const stage: MountStage = 'MapVolume.MapPodDevice';
    const { signal, pod } = request;
    const secrets = await readSecret(
      this.#parts.cluster,
      'NodePublishSecretRef',
      volume.secrets.publish,
      signal,
    );
    if (!secrets.ok) return { ...secrets, stage };
    await make(dirname(paths.publish));
    const call = {
      volumeId: volume.handle,
      stagingPath: paths.staging,
      targetPath: paths.publish,
      readOnly: volume.readOnly,
      publishContext,
      volumeContext: { ...volume.attributes, ...toPodContext(driver, pod, volume.lifecycle) },
      secrets: secrets.value,
      use,
    };
    return attempt(stage, () => client.publish(call, signal));
  }

  async #unmap(place: VolumePlace, data: VolumeData, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const { drivers, node, attach } = this.#parts;
    const { podUid, name, directory } = place;
    const paths = blockPaths(node.rootDir, name, podUid);
    const client = drivers.client(data.driverName);
    if (client === undefined) {
      const why = `blockMapper.TearDownDevice failed to get CSI client: ${notRegistered(data.driverName)}`;
      throw new AgentError('unavailable', `${CSI_PLUGIN}: ${why}`);
    }
    await releaseBlockFile(this.#parts.block, this.#toMap(place));
    await client.unpublish(data.volumeHandle, paths.publish, signal);
    await removeEmpty(paths.publish);
    const others = (await findPodDevices(node.rootDir)).filter(
      (one) => one.directory !== directory && isSameVolume(one.data, data),
    );
    if (others.length === 0) {
      await this.#unstage(client, paths, data, signal);
      this.#expansion.forget(data);
    }
    await removeBlockLink(directory);
    attach.attachments.release(uniqueNameOf(data), podUid);
  }

  async #unstage(
    client: CsiClient,
    paths: BlockPaths,
    { volumeHandle }: VolumeData,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const capabilities = await client.capabilities(signal);
    if (capabilities.has('stage-unstage')) await client.unstage(volumeHandle, paths.staging, signal);
    await removeEmpty(paths.staging);
    await removeEmpty(dirname(paths.publish));
    await removeEmpty(paths.map);
    await removeVolumeData(paths.data);
    await removeEmpty(dirname(paths.data));
  }

  #toMap({ podUid, name, directory }: VolumePlace): {
    readonly podUid: string;
    readonly link: string;
    readonly globalMapPath: string;
  } {
    const { map } = blockPaths(this.#parts.node.rootDir, name, podUid);
    return { podUid, link: directory, globalMapPath: map };
  }
}

async function make(directory: string): Promise<void> {
  try {
    await makeDirectory(directory, DIRECTORY_MODE);
  } catch (error) {
    throw toHostError('create directory', directory, error);
  }
}

async function link(target: string, path: string): Promise<void> {
  await make(dirname(path));
  try {
    await replaceLink(path, target);
  } catch (error) {
    throw toHostError('link', path, error);
  }
}

async function resolve(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw toHostError('resolve', path, error);
  }
}

async function attempt(stage: MountStage, work: () => Promise<void>): Promise<VolumeOutcome<void>> {
  try {
    await work();
    return accept(undefined);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return fail(stage, errorText(error));
  }
}

function fail(stage: MountStage, message: string): VolumeOutcome<never> {
  return { ok: false, stage, message };
}
