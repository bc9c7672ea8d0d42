/**
 * Grows volumes on the node: asks the driver and keeps the claim's status in
 * step. A driver that says "not now" is not asked again by this agent; other
 * refusals are told and tried again later.
 */

import type { Clock } from '../../base/clock.ts';
import { errorText } from '../../base/errors.ts';
import type { PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import { accept, type Outcome, refuse } from '../../core/spec/outcome.ts';
import { quote } from '../../core/spec/quote.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import type { CsiCapability } from '../../core/volume/csi/csi-access.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import {
  decideExpansion,
  type Expansion,
  toFailedPatch,
  toGrownPatch,
  toStartedPatch,
} from '../../core/volume/csi/expansion.ts';
import type { PersistentSource } from '../../core/volume/resolved-volume.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../ports/api-resource.ts';
import type { ApiServer } from '../../ports/api-server.ts';
import type { VolumeRequest } from '../../ports/volume-driver.ts';
import { GrpcCode } from '../cri/grpc-status.ts';
import { type CsiClient, type CsiUse, grpcCodeOf } from './csi-client.ts';
import { uniqueVolumeName } from './csi-paths.ts';
import { readSecret } from './csi-reads.ts';

export interface CsiExpansionParts {
  readonly api: Pick<ApiServer, 'get' | 'patch'>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly node: { readonly nodeName: string };
}

/** Where the volume is. */
export interface GrowthPlace {
  readonly client: CsiClient;
  readonly use: CsiUse;
  readonly volumePath: string;
  readonly stagingPath?: string;
}

/** Nobody tells a node that a volume is to grow. Upstream looks with each look at the pod: every 60 to 90 s. */
const LOOK_AGAIN_MS = 60_000;
const LOOK_AGAIN_JITTER = 0.5;

const INFEASIBLE: ReadonlySet<number> = new Set([
  GrpcCode.INVALID_ARGUMENT,
  GrpcCode.OUT_OF_RANGE,
  GrpcCode.NOT_FOUND,
]);

export class CsiExpansion {
  readonly #parts: CsiExpansionParts;
  /** Volumes whose driver can grow them. */
  readonly #growable = new Set<string>();

  constructor(parts: CsiExpansionParts) {
    this.#parts = parts;
  }

  /** Takes note of what the driver of the volume can do. */
  learn(volume: CsiVolume, capabilities: ReadonlySet<CsiCapability>): void {
    if (capabilities.has('expand') && volume.lifecycle === 'Persistent' && !volume.readOnly)
      this.#growable.add(uniqueVolumeName(volume.driver, volume.handle));
  }

  /** Whether the driver has to be asked. */
  decide(volume: CsiVolume, persistent: PersistentSource | undefined): Expansion | undefined {
    if (persistent === undefined || !this.#isGrowable(volume)) return undefined;
    return decideExpansion(persistent.volume, persistent.claim);
  }

  /** When to decide again; undefined for a volume that cannot grow. */
  lookAgainAt(volume: CsiVolume): number | undefined {
    if (!this.#isGrowable(volume)) return undefined;
    const { clock, random } = this.#parts;
    return clock.now() + LOOK_AGAIN_MS * (1 + random() * LOOK_AGAIN_JITTER);
  }

  /** The same for a volume in use: one that keeps its size is as good as before, so that is only told. */
  async performInUse(
    request: VolumeRequest,
    volume: CsiVolume,
    expansion: Expansion,
    place: GrowthPlace,
  ): Promise<void> {
    const grown = await this.perform(request, volume, expansion, place);
    if (grown.ok) return;
    const message = `NodeExpandVolume failed for volume ${quote(request.name)} : ${grown.message}`;
    request.warn('VolumeResizeFailed', message);
  }

  /** Refused when the volume keeps its size. */
  async perform(
    request: VolumeRequest,
    volume: CsiVolume,
    expansion: Expansion,
    place: GrowthPlace,
  ): Promise<Outcome<void>> {
    const { signal, persistent } = request;
    if (persistent === undefined) return accept(undefined);
    const secrets = await readSecret(this.#parts, 'NodeExpandSecretRef', volume.secrets.expand, signal);
    if (!secrets.ok) return secrets;
    let { claim } = persistent;
    try {
      if (expansion.isRecorded) claim = await this.#write(claim, toStartedPatch(claim), signal);
      const { client, ...where } = place;
      const call = { volumeId: volume.handle, requiredBytes: expansion.bytes, secrets: secrets.value };
      await client.expand({ ...call, ...where }, signal);
    } catch (error) {
      return this.#fail(claim, volume, expansion, error, signal);
    }
    return this.#finish(request, claim, expansion);
  }

  async #finish(
    request: VolumeRequest,
    claim: PersistentVolumeClaim,
    expansion: Expansion,
  ): Promise<Outcome<void>> {
    try {
      await this.#write(claim, toGrownPatch(claim, expansion), request.signal);
    } catch (error) {
      // The driver is asked once more then, which it allows.
      return refuse(`error updating pvc ${claim.metadata.name}: ${errorText(error)}`);
    }
    const message = `MountVolume.NodeExpandVolume succeeded for volume ${quote(request.name)} ${this.#parts.node.nodeName}`;
    request.tell?.('FileSystemResizeSuccessful', message);
    return accept(undefined);
  }

  async #fail(
    claim: PersistentVolumeClaim,
    volume: CsiVolume,
    { isRecorded }: Expansion,
    error: unknown,
    signal: AbortSignal,
  ): Promise<Outcome<void>> {
    signal.throwIfAborted();
    const code = grpcCodeOf(error);
    if (code === GrpcCode.FAILED_PRECONDITION) {
      // Not while it is in use here, which the agent cannot change.
      this.#growable.delete(uniqueVolumeName(volume.driver, volume.handle));
      return accept(undefined);
    }
    const why = errorText(error);
    if (isRecorded && code !== undefined) {
      const change = toFailedPatch(claim, why, INFEASIBLE.has(code), toApiTime(this.#parts.clock.now()));
      await this.#write(claim, change, signal).catch(() => {});
    }
    return refuse(why);
  }

  #isGrowable({ driver, handle }: CsiVolume): boolean {
    return this.#growable.has(uniqueVolumeName(driver, handle));
  }

  #write(claim: PersistentVolumeClaim, change: object, signal: AbortSignal): Promise<PersistentVolumeClaim> {
    const { name, namespace } = claim.metadata;
    const ref = { resource: PERSISTENT_VOLUME_CLAIMS, namespace, name };
    return this.#parts.api.patch(ref, change, { kind: 'merge', subresource: 'status', signal });
  }
}
