/**
 * Volumes of storage drivers, mounted into pods. Order of a set-up: attached?
 * → data file → stage once for the node → publish for the pod → group; taking
 * away is the reverse. The pod's data file is written before the driver is
 * asked for anything and removed last, so a kill at any moment leaves the
 * record of what there is to undo.
 *
 * Invariant: for one volume nothing overlaps, whatever pods it is for.
 */
import type { Clock } from '../../base/clock.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { Turns } from '../../base/turns.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import type { NodeFacts } from '../../core/spec/node-facts.ts';
import { accept, type Outcome, refuse } from '../../core/spec/outcome.ts';
import { type CsiCapability, toCsiAccessMode } from '../../core/volume/csi/csi-access.ts';
import { toPodContext } from '../../core/volume/csi/csi-context.ts';
import { agentSetsGroup, findModeProblem, needsAttach } from '../../core/volume/csi/csi-driver-rules.ts';
import { type CsiVolume, toCsiVolume } from '../../core/volume/csi/csi-volume.ts';
import { toOwnership } from '../../core/volume/ownership.ts';
import type { MountStage } from '../../core/volume/volume-source.ts';
import type { VolumeAttachments } from '../../ports/volume-attachments.ts';
import type {
  MountedVolume,
  VolumeDriver,
  VolumeOutcome,
  VolumePlace,
  VolumeRequest,
} from '../../ports/volume-driver.ts';
import { setOwnership } from '../volume/set-ownership.ts';
import type { CsiClient, CsiUse } from './csi-client.ts';
import { isFinal } from './csi-client.ts';
import type { CsiDriverList } from './csi-driver-list.ts';
import { type CsiDrivers, notRegistered } from './csi-drivers.ts';
import { attachmentName, CSI_PLUGIN, inlineHandle, stagingPath, uniqueVolumeName } from './csi-paths.ts';
import { type CsiReadParts, readAttachment, readSecret, readTokens } from './csi-reads.ts';
import { findPodVolumes, findUnusedStaged, isSameVolume, stageVolume, unstageVolume } from './csi-staging.ts';
import { readVolumeData, removeVolumeData, type VolumeData, writeVolumeData } from './volume-data.ts';

/** Upstream does it whenever it looks at the pod, which is every 60 to 90 s. */
const REPUBLISH_MS = 60_000;
const REPUBLISH_JITTER = 0.5;

export interface CsiParts extends CsiReadParts {
  readonly drivers: CsiDrivers;
  readonly driverObjects: Pick<CsiDriverList, 'get'>;
  readonly attachments: VolumeAttachments;
  /** Whether somebody else attaches volumes to the node; nobody here can. */
  readonly controllerAttaches: boolean;
  readonly node: Pick<NodeFacts, 'rootDir' | 'nodeName'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
}

/** A volume with what its driver asks of the node. */
interface Wanted {
  readonly request: VolumeRequest;
  readonly volume: CsiVolume;
  readonly driver: CsiDriverSpec | undefined;
  /** From the attacher. */
  readonly publishContext: StringMap;
  /** Nothing was there before: a refusal for good takes everything away again. */
  readonly isNew: boolean;
}

export class CsiVolumeDriver implements VolumeDriver {
  readonly plugin = CSI_PLUGIN;
  readonly source = 'csi';
  readonly refreshes = true;
  readonly takesMountOptions = true;
  readonly #parts: CsiParts;
  readonly #turns = new Turns();
  /** Staged since the agent started; what an earlier one staged is staged again, which drivers allow. */
  readonly #staged = new Set<string>();

  constructor(parts: CsiParts) {
    this.#parts = parts;
  }

  async mount(request: VolumeRequest): Promise<VolumeOutcome<MountedVolume>> {
    const { pod, volume: named, persistent, signal } = request;
    const handle = inlineHandle(pod.metadata.uid, named.name);
    const found = toCsiVolume(pod, named, persistent, handle);
    if (!found.ok) return found;
    const volume = found.value;
    const driver = await this.#parts.driverObjects.get(volume.driver, signal);
    if (request.isRemount && driver?.requiresRepublish !== true)
      return accept(this.#toMounted(request, volume));
    const problem = findModeProblem(volume.driver, driver, volume.lifecycle);
    if (problem !== undefined)
      return refuse(`${CSI_PLUGIN}: mounter.SetupAt failed to check volume lifecycle mode: ${problem}`);
    const publishContext = await this.#waitForAttach(request, volume, driver);
    if (!publishContext.ok) return { ...publishContext, stage: 'MountVolume.WaitForAttach' };
    return this.#turns.take(keyOf(volume), async () => {
      signal.throwIfAborted();
      const isNew = (await readVolumeData(request.directory)) === undefined;
      return this.#mount({ request, volume, driver, publishContext: publishContext.value, isNew });
    });
  }

  async unmount(place: VolumePlace): Promise<void> {
    const { directory } = place;
    const data = await readVolumeData(directory);
    // Without data nothing was asked of a driver; something mounted there makes the removal fail.
    if (data === undefined) return removeVolumeData(directory, `${directory}/mount`);
    await this.#turns.take(keyOf({ driver: data.driverName, handle: data.volumeHandle }), () =>
      this.#unmount(place, data),
    );
  }

  /** Takes volumes of the driver off the node that a kill left staged for nobody. */
  async releaseUnused(driverName: string): Promise<void> {
    const { drivers, node, logger } = this.#parts;
    for (const data of await findUnusedStaged(node.rootDir, driverName)) {
      await this.#turns.take(keyOf({ driver: driverName, handle: data.volumeHandle }), async () => {
        const client = drivers.client(driverName);
        const isUnused = (await findUnusedStaged(node.rootDir, driverName)).some((one) =>
          isSameVolume(one, data),
        );
        if (client === undefined || !isUnused) return;
        logger.info('a volume is staged for nobody', { driver: driverName, volume: data.volumeHandle });
        await unstageVolume(client, node.rootDir, data);
      });
    }
  }

  /** What the attacher says; empty for a volume that nobody has to attach. */
  async #waitForAttach(
    { podUid, signal }: VolumeRequest,
    volume: CsiVolume,
    driver: CsiDriverSpec | undefined,
  ): Promise<Outcome<StringMap>> {
    if (volume.lifecycle === 'Ephemeral' || !needsAttach(driver)) return accept({});
    const { attachments, node, controllerAttaches } = this.#parts;
    if (!controllerAttaches) return refuse('attaching volumes from the kubelet is not supported');
    const name = uniqueVolumeName(volume.driver, volume.handle);
    attachments.hold(name, podUid);
    if (!(await attachments.whenAttached(name, signal))) {
      signal.throwIfAborted();
      return refuse('Volume not attached according to node status');
    }
    const object = attachmentName(volume.handle, volume.driver, node.nodeName);
    return readAttachment(this.#parts, volume.handle, object, signal);
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
    await writeVolumeData(request.directory, this.#toData(volume));
    const use = toUse(wanted, accessMode, capabilities);
    if (isStaged) {
      const staged = await this.#stage(wanted, client, use);
      if (!staged.ok) return staged;
    }
    const published = await this.#publish(wanted, client, use, isStaged);
    if (!published.ok) return published;
    await this.#setGroup(wanted, capabilities);
    return accept(this.#toMounted(request, volume, wanted.driver, published.value));
  }

  async #stage(wanted: Wanted, client: CsiClient, use: CsiUse): Promise<VolumeOutcome<void>> {
    const { request, volume, publishContext, isNew } = wanted;
    const { signal, directory } = request;
    const key = keyOf(volume);
    if (this.#staged.has(key)) return accept(undefined);
    const stage: MountStage = 'MountVolume.MountDevice';
    const secrets = await readSecret(this.#parts, 'NodeStageSecretRef', volume.secrets.stage, signal);
    if (!secrets.ok) return { ...secrets, stage };
    try {
      const place = stagingPath(this.#parts.node.rootDir, volume.driver, volume.handle);
      const call = { publishContext, volumeContext: volume.attributes, secrets: secrets.value, use };
      await stageVolume(
        client,
        volume.driver,
        { ...call, volumeId: volume.handle, stagingPath: place },
        signal,
      );
      this.#staged.add(key);
      return accept(undefined);
    } catch (error) {
      if (isNew && isFinal(error)) await removeVolumeData(directory).catch(() => {});
      return toRefusal(error, stage);
    }
  }

  /** When the tokens that were handed over have to be replaced. */
  async #publish(
    { request, volume, driver, publishContext, isNew }: Wanted,
    client: CsiClient,
    use: CsiUse,
    isStaged: boolean,
  ): Promise<VolumeOutcome<number | undefined>> {
    const { signal, pod, directory } = request;
    const secrets = await readSecret(this.#parts, 'NodePublishSecretRef', volume.secrets.publish, signal);
    if (!secrets.ok) return secrets;
    const tokens = await readTokens(this.#parts, driver, pod, signal);
    if (!tokens.ok) return tokens;
    const { entry, refreshAtMs } = tokens.value;
    const inSecrets = driver?.serviceAccountTokenInSecrets === true;
    try {
      await client.publish(
        {
          volumeId: volume.handle,
          targetPath: `${directory}/mount`,
          ...(isStaged
            ? { stagingPath: stagingPath(this.#parts.node.rootDir, volume.driver, volume.handle) }
            : {}),
          readOnly: volume.readOnly,
          use,
          publishContext,
          secrets: { ...secrets.value, ...(inSecrets ? entry : {}) },
          volumeContext: {
            ...volume.attributes,
            ...toPodContext(driver, pod, volume.lifecycle),
            ...(inSecrets ? {} : entry),
          },
        },
        signal,
      );
      return accept(refreshAtMs);
    } catch (error) {
      // A staged volume keeps the pod's data file: it is the record of the staging.
      if (isNew && !isStaged && isFinal(error))
        await removeVolumeData(directory, `${directory}/mount`).catch(() => {});
      return toRefusal(error, 'MountVolume.SetUp');
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
      await setOwnership(`${directory}/mount`, ownership);
    } catch (error) {
      const message = `applyFSGroup failed for vol ${volume.handle}: ${errorText(error)}`;
      throw new AgentError('unknown', message, { cause: error });
    }
  }

  async #unmount({ directory, podUid }: VolumePlace, data: VolumeData): Promise<void> {
    const { drivers, node, attachments } = this.#parts;
    const client = drivers.client(data.driverName);
    if (client === undefined)
      throw toUnmountError('failed to get CSI client', notRegistered(data.driverName));
    const target = `${directory}/mount`;
    await client.unpublish(data.volumeHandle, target);
    const isPersistent = data.volumeLifecycleMode !== 'Ephemeral';
    if (isPersistent) {
      const others = (await findPodVolumes(node.rootDir)).filter(
        (one) => one.directory !== directory && isSameVolume(one.data, data),
      );
      if (others.length === 0) {
        await unstageVolume(client, node.rootDir, data);
        this.#staged.delete(keyOf({ driver: data.driverName, handle: data.volumeHandle }));
      }
    }
    await removeVolumeData(directory, target);
    attachments.release(uniqueVolumeName(data.driverName, data.volumeHandle), podUid);
  }

  #toData({ driver, handle, innerName, lifecycle }: CsiVolume): VolumeData {
    const { nodeName } = this.#parts.node;
    return {
      specVolID: innerName,
      volumeHandle: handle,
      driverName: driver,
      nodeName,
      volumeLifecycleMode: lifecycle,
      attachmentID: attachmentName(handle, driver, nodeName),
    };
  }

  #toMounted(
    { directory }: VolumeRequest,
    { readOnly }: CsiVolume,
    driver?: CsiDriverSpec,
    tokensDueMs = Number.POSITIVE_INFINITY,
  ): MountedVolume {
    const prepared = { hostPath: `${directory}/mount`, readOnly, selinuxRelabel: !readOnly };
    if (driver?.requiresRepublish !== true) return { prepared };
    const { clock, random } = this.#parts;
    const dueMs = clock.now() + REPUBLISH_MS * (1 + random() * REPUBLISH_JITTER);
    return { prepared, refreshAtMs: Math.min(dueMs, tokensDueMs) };
  }
}

function keyOf({ driver, handle }: Pick<CsiVolume, 'driver' | 'handle'>): string {
  return `${driver}^${handle}`;
}

function toUse(
  { request, volume }: Wanted,
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

function toRefusal(error: unknown, stage: MountStage): VolumeOutcome<never> {
  if (!(error instanceof AgentError)) throw error;
  return { ok: false, stage, message: errorText(error) };
}

function toUnmountError(step: string, why: string): AgentError {
  return new AgentError('unavailable', `${CSI_PLUGIN}: Unmounter.TearDownAt ${step}: ${why}`);
}
