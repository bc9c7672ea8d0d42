/**
 * Expands local volumes whose persistent volume has a larger size than their
 * claim shows: the file system of a disk takes all of it, and the claim shows
 * the size. A directory, or a device that a pod gets as it is, needs nothing
 * done. Only in a cluster: without an API server there is no claim to keep.
 */
import type { Clock } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import {
  decideExpansion,
  type Expansion,
  isTooSmall,
  toFailedPatch,
  toGrownPatch,
  toStartedPatch,
} from '../../core/volume/csi/expansion.ts';
import type { VolumeRequest } from '../../ports/storage/volume-driver.ts';
import {
  type ClaimApi,
  reportGrown,
  warnNotGrown,
  warnReadOnly,
  writeClaimStatus,
} from './place/claim-size.ts';

/** No event announces it. Upstream looks with each sync of the pod: every 60 to 90 s. */
const LOOK_AGAIN_MS = 60_000;
const LOOK_AGAIN_JITTER = 0.5;

export interface LocalExpansionParts {
  readonly api: ClaimApi;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly nodeName: string;
}

export class LocalExpansion {
  readonly #parts: LocalExpansionParts;
  /** By volume: the size it has on this node. */
  readonly #sizes = new Map<string, string>();

  constructor(parts: LocalExpansionParts) {
    this.#parts = parts;
  }

  /** When to look again; undefined for a volume that cannot grow. */
  lookAgainAt({ persistent }: VolumeRequest): number | undefined {
    if (persistent === undefined || persistent.readOnly) return undefined;
    const { clock, random } = this.#parts;
    return clock.now() + LOOK_AGAIN_MS * (1 + random() * LOOK_AGAIN_JITTER);
  }

  /** Expands a volume that is set up, if it must be. Refused only where no container uses it yet. */
  async perform(request: VolumeRequest, grow: () => Promise<void>): Promise<Outcome<void>> {
    const { name, persistent, isRemount } = request;
    if (persistent === undefined) return accept(undefined);
    const { volume, claim, readOnly } = persistent;
    if (readOnly) {
      if (!isRemount && isTooSmall(volume, claim)) warnReadOnly(request);
      return accept(undefined);
    }
    const shown = claim.status?.capacity?.['storage'];
    if (shown !== undefined && !this.#sizes.has(name)) this.#sizes.set(name, shown);
    const expansion = decideExpansion(volume, claim, isRemount ? this.#sizes.get(name) : undefined);
    if (expansion === undefined) return accept(undefined);
    const grown = await this.#grow(request, claim, expansion, grow);
    if (grown.ok || !isRemount) return grown;
    warnNotGrown(request, grown.message);
    return accept(undefined);
  }

  /** Nothing of the volume is left on the node. */
  forget(name: string): void {
    this.#sizes.delete(name);
  }

  async #grow(
    request: VolumeRequest,
    known: PersistentVolumeClaim,
    expansion: Expansion,
    grow: () => Promise<void>,
  ): Promise<Outcome<void>> {
    const { api, nodeName } = this.#parts;
    const { signal, name } = request;
    const { isRecorded, isClaimDone, size } = expansion;
    let claim = known;
    try {
      if (isRecorded && !isClaimDone)
        claim = await writeClaimStatus(api, claim, toStartedPatch(claim), signal);
      await grow();
    } catch (error) {
      signal.throwIfAborted();
      return this.#fail(claim, expansion, errorText(error), signal);
    }
    this.#sizes.set(name, size);
    reportGrown(request, nodeName);
    if (isClaimDone) return accept(undefined);
    try {
      await writeClaimStatus(api, claim, toGrownPatch(claim, expansion), signal);
      return accept(undefined);
    } catch (error) {
      // It is then expanded once more, which changes nothing.
      return refuse(`mountVolume.NodeExpandVolume update pvc status failed: ${errorText(error)}`);
    }
  }

  async #fail(
    claim: PersistentVolumeClaim,
    { isRecorded, isClaimDone }: Expansion,
    why: string,
    signal: AbortSignal,
  ): Promise<Outcome<void>> {
    if (isRecorded && !isClaimDone) {
      const change = toFailedPatch(claim, why, false, toApiTime(this.#parts.clock.now()));
      await writeClaimStatus(this.#parts.api, claim, change, signal).catch(() => {});
    }
    return refuse(why);
  }
}
