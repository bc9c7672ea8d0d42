/**
 * Expands volumes on the node: calls the driver and keeps the claim's status in
 * step. A driver that answers "not now" is not called again by this agent;
 * other refusals are reported and retried later.
 */

import type { Clock } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import type { CsiCapability } from '../../core/volume/csi/csi-access.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import {
  decideExpansion,
  type Expansion,
  isOtherSizeAsked,
  isTooSmall,
  toFailedPatch,
  toGrownPatch,
  toStartedPatch,
} from '../../core/volume/csi/expansion.ts';
import type { PersistentSource } from '../../core/volume/resolved-volume.ts';
import type { ApiServer } from '../../ports/cluster/api-server.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { GrpcCode } from '../grpc/grpc-status.ts';
import { reportGrown, warnNotGrown, warnReadOnly, writeClaimStatus } from '../volume/place/claim-size.ts';
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

/** No event announces an expansion to the node. Upstream checks with each sync of the pod: every 60 to 90 s. */
const LOOK_AGAIN_MS = 60_000;
const LOOK_AGAIN_JITTER = 0.5;

const INFEASIBLE: ReadonlySet<number> = new Set([
  GrpcCode.INVALID_ARGUMENT,
  GrpcCode.OUT_OF_RANGE,
  GrpcCode.NOT_FOUND,
]);

export class CsiExpansion {
  readonly #parts: CsiExpansionParts;
  /** Volumes whose driver can expand them. */
  readonly #growable = new Set<string>();
  /** By volume: the size it has on this node. */
  readonly #sizes = new Map<string, string>();
  /** Volumes whose driver has refused permanently. */
  readonly #refused = new Set<string>();

  constructor(parts: CsiExpansionParts) {
    this.#parts = parts;
  }

  /** When to check again whether it must be expanded; undefined for a volume that cannot. */
  lookAgainAt(volume: CsiVolume): number | undefined {
    if (!this.#isGrowable(volume)) return undefined;
    const { clock, random } = this.#parts;
    return clock.now() + LOOK_AGAIN_MS * (1 + random() * LOOK_AGAIN_JITTER);
  }

  /** Expands a volume that was just set up, if requested; refused when the expansion fails. */
  async performAtSetUp(
    request: VolumeRequest,
    volume: CsiVolume,
    capabilities: ReadonlySet<CsiCapability>,
    place: GrowthPlace,
  ): Promise<Outcome<void>> {
    const { persistent } = request;
    if (persistent === undefined) return accept(undefined);
    if (persistent.readOnly) {
      if (isTooSmall(persistent.volume, persistent.claim)) warnReadOnly(request);
      return accept(undefined);
    }
    if (capabilities.has('expand') && !volume.readOnly) this.#growable.add(toKey(volume));
    const before = persistent.claim.status?.capacity?.['storage'];
    if (before !== undefined && !this.#sizes.has(toKey(volume))) this.#sizes.set(toKey(volume), before);
    const expansion = this.#isGrowable(volume)
      ? decideExpansion(persistent.volume, persistent.claim)
      : undefined;
    return expansion === undefined ? accept(undefined) : this.#perform(request, volume, expansion, place);
  }

  /** Whether a volume in use must be expanded. */
  decideInUse(volume: CsiVolume, persistent: PersistentSource | undefined): Expansion | undefined {
    if (persistent === undefined || persistent.readOnly || !this.#isGrowable(volume)) return undefined;
    return decideExpansion(persistent.volume, persistent.claim, this.#sizes.get(toKey(volume)));
  }

  /** Expands a volume in use. A volume that keeps its size still works, so a failure is only reported. */
  async performInUse(
    request: VolumeRequest,
    volume: CsiVolume,
    expansion: Expansion,
    place: GrowthPlace,
  ): Promise<void> {
    const grown = await this.#perform(request, volume, expansion, place);
    if (grown.ok) return;
    warnNotGrown(request, grown.message);
  }

  /** Nothing of the volume is left on the node. */
  forget({ driverName, volumeHandle }: { readonly driverName: string; readonly volumeHandle: string }): void {
    const key = uniqueVolumeName(driverName, volumeHandle);
    this.#growable.delete(key);
    this.#sizes.delete(key);
    this.#refused.delete(key);
  }

  async #perform(
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
      if (expansion.isRecorded && !expansion.isClaimDone)
        claim = await this.#write(claim, toStartedPatch(claim), signal);
      const { client, ...where } = place;
      const call = { volumeId: volume.handle, requiredBytes: expansion.bytes, secrets: secrets.value };
      await client.expand({ ...call, ...where }, signal);
    } catch (error) {
      return this.#fail(claim, volume, expansion, error, signal);
    }
    this.#sizes.set(toKey(volume), expansion.size);
    this.#refused.delete(toKey(volume));
    reportGrown(request, this.#parts.node.nodeName);
    return expansion.isClaimDone ? accept(undefined) : this.#finish(request, claim, expansion);
  }

  async #finish(
    request: VolumeRequest,
    claim: PersistentVolumeClaim,
    expansion: Expansion,
  ): Promise<Outcome<void>> {
    try {
      await this.#write(claim, toGrownPatch(claim, expansion), request.signal);
      return accept(undefined);
    } catch (error) {
      // The driver is then called once more, which is allowed.
      return refuse(`mountVolume.NodeExpandVolume update pvc status failed: ${errorText(error)}`);
    }
  }

  async #fail(
    claim: PersistentVolumeClaim,
    volume: CsiVolume,
    expansion: Expansion,
    error: unknown,
    signal: AbortSignal,
  ): Promise<Outcome<void>> {
    signal.throwIfAborted();
    const code = grpcCodeOf(error);
    const key = toKey(volume);
    if (code === GrpcCode.FAILED_PRECONDITION) {
      // Not while it is in use here, which the agent cannot change.
      this.#growable.delete(key);
      return accept(undefined);
    }
    // The call that marks the claim may have failed, not the driver.
    if (code === undefined) return refuse(errorText(error));
    const isInfeasible = INFEASIBLE.has(code);
    const why = `Expander.NodeExpand failed to expand the volume${isInfeasible ? '' : ' :'} ${errorText(error)}`;
    if (expansion.isRecorded && !expansion.isClaimDone) {
      const isStuck = this.#refused.has(key) && isOtherSizeAsked(claim, expansion);
      const now = toApiTime(this.#parts.clock.now());
      const change = toFailedPatch(claim, why, isInfeasible || isStuck, now);
      await this.#write(claim, change, signal).catch(() => {});
    }
    this.#refused.add(key);
    return refuse(why);
  }

  #isGrowable(volume: CsiVolume): boolean {
    return this.#growable.has(toKey(volume));
  }

  #write(claim: PersistentVolumeClaim, change: object, signal: AbortSignal): Promise<PersistentVolumeClaim> {
    return writeClaimStatus(this.#parts.api, claim, change, signal);
  }
}

function toKey({ driver, handle }: CsiVolume): string {
  return uniqueVolumeName(driver, handle);
}
