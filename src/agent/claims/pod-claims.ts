/**
 * Dynamic resources of pods, as the rest of the agent sees them: prepared
 * before a pod starts, taken back after it, and what containers get of them.
 */
import type { Container, Pod } from '../../core/api/pod.ts';
import { toCdiIds, toListedClaims } from '../../core/claims/claim-devices.ts';
import { type ClaimInfo, claimKey } from '../../core/claims/claim-info.ts';
import { findContainerClaims } from '../../core/claims/pod-claims.ts';
import type { ListedClaim } from '../../core/devices/pod-resources.ts';
import type { HardwareAssignment } from '../../core/spec/to-container-config.ts';
import type { HardwareSource } from '../assign/hardware-source.ts';
import type { ClaimPreparer } from './claim-preparer.ts';
import type { ClaimStore } from './claim-store.ts';
import type { DraDrivers } from './dra-drivers.ts';

export interface PodClaimsParts {
  readonly store: ClaimStore;
  readonly preparer: ClaimPreparer;
  readonly drivers: DraDrivers;
}

export class PodClaims implements HardwareSource {
  readonly name = 'dynamic resources';
  readonly #parts: PodClaimsParts;

  constructor(parts: PodClaimsParts) {
    this.#parts = parts;
  }

  load(): Promise<void> {
    return this.#parts.store.load();
  }

  close(): void {
    this.#parts.drivers.close();
  }

  prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    return this.#parts.preparer.prepare(pod, signal);
  }

  unprepare(podUid: string, signal: AbortSignal): Promise<void> {
    return this.#parts.preparer.unprepare(podUid, signal);
  }

  /** After a restart the drivers are asked once more before a container starts. */
  async readHardware(pod: Pod, container: Container, signal: AbortSignal): Promise<HardwareAssignment> {
    await this.prepare(pod, signal);
    return { cdiDevices: toCdiIds(this.#wanted(pod, container)) };
  }

  claimsOf(pod: Pod, container: Container): ListedClaim[] {
    return toListedClaims(this.#wanted(pod, container));
  }

  #wanted(pod: Pod, container: Container): { info: ClaimInfo; request: string | undefined }[] {
    const { namespace } = pod.metadata;
    return findContainerClaims(pod, container).flatMap(({ name, request }) => {
      const info = this.#parts.store.get(claimKey({ namespace, name }));
      return info === undefined ? [] : [{ info, request }];
    });
  }
}
