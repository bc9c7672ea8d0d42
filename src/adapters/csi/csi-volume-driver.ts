/**
 * Volumes of storage drivers, mounted into pods. Order of a set-up: attached?
 * → data file → stage once for the node → publish for the pod → group; teardown
 * is the reverse. The pod's data file is written before the driver is called
 * and removed last, so a kill at any moment leaves the
 * record of what there is to undo.
 *
 * Invariant: operations on one volume never overlap, whichever pods use it.
 */

import { KeyedMutex } from '../../base/async/keyed-mutex.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { accept, refuse } from '../../base/outcome.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import { type CsiCapability, toCsiAccessMode } from '../../core/volume/csi/csi-access.ts';
import { agentSetsGroup, findModeProblem } from '../../core/volume/csi/csi-driver-rules.ts';
import { type CsiVolume, toCsiVolume, withMountContext } from '../../core/volume/csi/csi-volume.ts';
import { toOwnership } from '../../core/volume/ownership.ts';
import { GROWING_MOUNT, type MountStage } from '../../core/volume/volume-source.ts';
import type {
  BlockVolumeDriver,
  MountedVolume,
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../ports/storage/volume-driver.ts';
import { setOwnershipReportingProgress } from '../volume/place/ownership-progress.ts';
import { waitForAttach } from './csi-attach.ts';
import { CsiBlockDriver } from './csi-block-driver.ts';
import type { CsiClient, CsiUse } from './csi-client.ts';
import { isFinal } from './csi-client.ts';
import { notRegistered } from './csi-drivers.ts';
import { CsiExpansion, type GrowthPlace } from './csi-expansion.ts';
import { createCsiGauge } from './csi-gauge.ts';
import type { CsiParts } from './csi-parts.ts';
import { CSI_PLUGIN, inlineHandle, stagingPath, uniqueVolumeName } from './csi-paths.ts';
import { publishVolume, toFailedMount, type Wanted } from './csi-publish.ts';
import { readSecret } from './csi-reads.ts';
import { readMountContext, takesLabels } from './csi-selinux.ts';
import { findPodVolumes, findUnusedStaged, isSameVolume, stageVolume, unstageVolume } from './csi-staging.ts';
import {
  readVolumeData,
  removeVolumeData,
  toVolumeData,
  uniqueNameOf,
  type VolumeData,
  writeVolumeData,
} from './volume-data.ts';

/** Upstream re-publishes with each sync of the pod, which is every 60 to 90 s. */
const REPUBLISH_MS = 60_000;
const REPUBLISH_JITTER = 0.5;

export class CsiVolumeDriver implements VolumeDriver {
  readonly plugin = CSI_PLUGIN;
  readonly source = 'csi';
  readonly refreshes = true;
  readonly takesMountOptions = true;
  readonly block: BlockVolumeDriver;
  readonly #parts: CsiParts;
  readonly #mutex = new KeyedMutex();
  readonly #expansion: CsiExpansion;
  /** Staged since the agent started; what an earlier one staged is staged again, which drivers allow. */
  readonly #staged = new Set<string>();

  constructor(parts: CsiParts) {
    this.#parts = parts;
    this.#expansion = new CsiExpansion({ ...parts.kit, ...parts.cluster, node: parts.node });
    this.block = new CsiBlockDriver(parts, this.#mutex, this.#expansion);
  }

  async mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>> {
    const { pod, volume: named, persistent, signal } = request;
    const handle = inlineHandle(pod.metadata.uid, named.name);
    const found = toCsiVolume(pod, named, persistent, handle);
    if (!found.ok) return found;
    const driver = await this.#parts.cluster.driverObjects.get(found.value.driver, signal);
    const context = await readMountContext(this.#parts, request, driver);
    if (!context.ok) return context;
    const volume = withMountContext(found.value, context.value);
    if (request.isRemount) await this.#growInUse(request, volume);
    if (request.isRemount && driver?.requiresRepublish !== true)
      return accept(await this.#toMounted(request, volume, driver));
    const problem = findModeProblem(volume.driver, driver, volume.lifecycle);
    if (problem !== undefined)
      return refuse(`${CSI_PLUGIN}: mounter.SetupAt failed to check volume lifecycle mode: ${problem}`);
    const publishContext = await waitForAttach(this.#parts, request, volume, driver);
    if (!publishContext.ok) return { ...publishContext, stage: 'MountVolume.WaitForAttach' };
    await this.#parts.drivers.whenRegistered(volume.driver, signal);
    return this.#mutex.run(uniqueVolumeName(volume.driver, volume.handle), async () => {
      signal.throwIfAborted();
      const isNew = (await readVolumeData(request.directory)) === undefined;
      return this.#mount({ request, volume, driver, publishContext: publishContext.value, isNew });
    });
  }

  async unmount(place: VolumePlace, signal?: AbortSignal): Promise<void> {
    const { directory } = place;
    const data = await readVolumeData(directory);
    // Without data no driver was ever called; a mount there makes the removal fail.
    if (data === undefined) return removeVolumeData(directory, `${directory}/mount`);
    await this.#parts.drivers.whenRegistered(data.driverName, signal);
    await this.#mutex.run(uniqueNameOf(data), () => this.#unmount(place, data, signal));
  }

  /** Unstages volumes of the driver that no pod uses: a killed agent may have left them. */
  async releaseUnused(driverName: string): Promise<void> {
    const { kit, drivers, node } = this.#parts;
    const { logger } = kit;
    for (const data of await findUnusedStaged(node.rootDir, driverName)) {
      await this.#mutex.run(uniqueNameOf(data), async () => {
        const client = drivers.client(driverName);
        const isUnused = (await findUnusedStaged(node.rootDir, driverName)).some((one) =>
          isSameVolume(one, data),
        );
        if (client === undefined || !isUnused) return;
        logger.info('unstaging a volume that no pod uses', { driver: driverName, volume: data.volumeHandle });
        await unstageVolume(client, node.rootDir, data);
      });
    }
  }

  async #mount(wanted: Wanted): Promise<VolumeOutcome<MountedVolume>> {
    const { request, volume } = wanted;
    const isPersistent = volume.lifecycle === 'Persistent';
    const client = this.#parts.drivers.client(volume.driver);
    if (client === undefined) return refuseUnregistered(volume);
    const capabilities = await client.capabilities(request.signal);
    const accessMode = toCsiAccessMode(volume.accessModes, capabilities);
    if (accessMode === undefined) return refuse(`unsupported access mode ${volume.accessModes?.[0] ?? ''}`);
    const isStaged = isPersistent && capabilities.has('stage-unstage');
    await writeVolumeData(request.directory, {
      ...toVolumeData(volume, this.#parts.node.nodeName),
      volumeLifecycleMode: volume.lifecycle,
    });
    const use = toUse(request, volume, accessMode, capabilities);
    if (isStaged) {
      const staged = await this.#stage(wanted, client, use);
      if (!staged.ok) return staged;
    }
    const published = await publishVolume(this.#parts, wanted, client, use, isStaged);
    if (!published.ok) return published;
    await this.#setGroup(wanted, capabilities);
    if (isPersistent && !request.isRemount) {
      const place = this.#toGrowthPlace(request, volume, client, use);
      const grown = await this.#expansion.performAtSetUp(request, volume, capabilities, place);
      if (!grown.ok) return { ...grown, stage: GROWING_MOUNT };
    }
    return accept(await this.#toMounted(request, volume, wanted.driver, published.value));
  }

  #toGrowthPlace(
    { directory }: VolumeRequest,
    volume: CsiVolume,
    client: CsiClient,
    use: CsiUse,
  ): GrowthPlace {
    const isStaged = this.#staged.has(uniqueVolumeName(volume.driver, volume.handle));
    const place = stagingPath(this.#parts.node.rootDir, volume.driver, volume.handle);
    return { client, use, volumePath: `${directory}/mount`, ...(isStaged ? { stagingPath: place } : {}) };
  }

  async #growInUse(request: VolumeRequest, volume: CsiVolume): Promise<void> {
    const expansion = this.#expansion.decideInUse(volume, request.persistent);
    if (expansion === undefined) return;
    await this.#mutex.run(uniqueVolumeName(volume.driver, volume.handle), async () => {
      const client = this.#parts.drivers.client(volume.driver);
      if (client === undefined) return;
      const capabilities = await client.capabilities(request.signal);
      const accessMode = toCsiAccessMode(volume.accessModes, capabilities);
      if (accessMode === undefined) return;
      const place = this.#toGrowthPlace(
        request,
        volume,
        client,
        toUse(request, volume, accessMode, capabilities),
      );
      await this.#expansion.performInUse(request, volume, expansion, place);
    });
  }

  async #stage(wanted: Wanted, client: CsiClient, use: CsiUse): Promise<VolumeOutcome<void>> {
    const { request, volume, publishContext, isNew } = wanted;
    const { signal, directory } = request;
    const key = uniqueVolumeName(volume.driver, volume.handle);
    if (this.#staged.has(key)) return accept(undefined);
    const stage: MountStage = 'MountVolume.MountDevice';
    const secrets = await readSecret(this.#parts.cluster, 'NodeStageSecretRef', volume.secrets.stage, signal);
    if (!secrets.ok) return { ...secrets, stage };
    try {
      const place = stagingPath(this.#parts.node.rootDir, volume.driver, volume.handle);
      const call = { publishContext, volumeContext: volume.attributes, secrets: secrets.value, use };
      await stageVolume(client, volume, { ...call, volumeId: volume.handle, stagingPath: place }, signal);
      this.#staged.add(key);
      return accept(undefined);
    } catch (error) {
      if (isNew && isFinal(error)) await removeVolumeData(directory).catch(() => {});
      return toFailedMount(error, stage);
    }
  }

  async #setGroup(
    { request, volume, driver }: Wanted,
    capabilities: ReadonlySet<CsiCapability>,
  ): Promise<void> {
    const { pod, directory } = request;
    const ownership = toOwnership(pod, volume.readOnly, true);
    const question = {
      ...volume,
      fsGroup: ownership?.fsGroup,
      driverSetsGroup: capabilities.has('volume-mount-group'),
    };
    if (ownership === undefined || !agentSetsGroup(driver, question)) return;
    try {
      await setOwnershipReportingProgress(this.#parts.kit.clock, request, `${directory}/mount`, ownership);
    } catch (error) {
      const message = `applyFSGroup failed for vol ${volume.handle}: ${errorText(error)}`;
      throw new AgentError('unknown', message, { cause: error });
    }
  }

  async #unmount(
    { directory, podUid }: VolumePlace,
    data: VolumeData,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const { drivers, node, attach } = this.#parts;
    const client = drivers.client(data.driverName);
    if (client === undefined)
      throw toUnmountError('failed to get CSI client', notRegistered(data.driverName));
    const target = `${directory}/mount`;
    await client.unpublish(data.volumeHandle, target, signal);
    const isPersistent = data.volumeLifecycleMode !== 'Ephemeral';
    if (isPersistent) {
      const others = (await findPodVolumes(node.rootDir)).filter(
        (one) => one.directory !== directory && isSameVolume(one.data, data),
      );
      if (others.length === 0) {
        await unstageVolume(client, node.rootDir, data, signal);
        this.#staged.delete(uniqueNameOf(data));
        this.#expansion.forget(data);
      }
    }
    await removeVolumeData(directory, target);
    attach.attachments.release(uniqueNameOf(data), podUid);
  }

  async #toMounted(
    { directory }: VolumeRequest,
    volume: CsiVolume,
    driver?: CsiDriverSpec,
    tokensDueMs = Number.POSITIVE_INFINITY,
  ): Promise<MountedVolume> {
    const { readOnly, mountContext } = volume;
    const hostPath = `${directory}/mount`;
    const selinuxRelabel =
      !readOnly && mountContext === undefined && (await takesLabels(this.#parts, hostPath));
    const gauge = createCsiGauge(this.#parts, volume, hostPath);
    const mounted = { prepared: { hostPath, readOnly, selinuxRelabel }, gauge };
    const { clock, random } = this.#parts.kit;
    const growsMs = this.#expansion.lookAgainAt(volume) ?? Number.POSITIVE_INFINITY;
    const publishMs = clock.now() + REPUBLISH_MS * (1 + random() * REPUBLISH_JITTER);
    const againMs = driver?.requiresRepublish === true ? Math.min(publishMs, tokensDueMs) : growsMs;
    return Number.isFinite(againMs) ? { ...mounted, refreshAtMs: Math.min(againMs, growsMs) } : mounted;
  }
}

function toUse(
  request: VolumeRequest,
  volume: CsiVolume,
  accessMode: CsiUse['accessMode'],
  capabilities: ReadonlySet<CsiCapability>,
): CsiUse {
  const fsGroup = request.pod.spec.securityContext?.fsGroup;
  const group = capabilities.has('volume-mount-group') && fsGroup !== undefined ? { group: fsGroup } : {};
  return { kind: 'mount', accessMode, fsType: volume.fsType, flags: volume.mountOptions, ...group };
}

function refuseUnregistered({ driver, lifecycle }: CsiVolume): VolumeOutcome<never> {
  const why = notRegistered(driver);
  if (lifecycle === 'Ephemeral')
    return refuse(`${CSI_PLUGIN}: mounter.SetUpAt failed to get CSI client: ${why}`);
  const message = `${CSI_PLUGIN}: attacher.MountDevice failed to create newCsiDriverClient: ${why}`;
  return { ok: false, stage: 'MountVolume.MountDevice', message };
}

function toUnmountError(step: string, why: string): AgentError {
  return new AgentError('unavailable', `${CSI_PLUGIN}: Unmounter.TearDownAt ${step}: ${why}`);
}
