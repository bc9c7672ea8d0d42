/**
 * Follows what drivers report about the health of their devices, and says for
 * each container what it has come to. A driver without such reports is left
 * alone; one whose reports break off is asked again, and what it said last
 * counts until its time is over, also over a restart (`dra_health_state`).
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { retryUntilStopped } from '../../base/async/retry.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { AllocatedResourceStatus } from '../../core/api/pod-status.ts';
import {
  type ClaimUse,
  type DeviceHealthReport,
  isCurrent,
  isSameHealth,
  type KnownHealth,
  toClaimHealth,
  toKnownHealth,
} from '../../core/claims/claim-health.ts';
import { claimKey, type PreparedDevice } from '../../core/claims/claim-info.ts';
import { parseHealth, renderHealth } from '../../core/claims/health-checkpoint.ts';
import { findPodClaims } from '../../core/claims/pod-claims.ts';
import { type PodUid, parsePodUid } from '../../core/model/ids.ts';
import type { DraDriver } from '../../ports/devices/dra-driver.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ClaimStore } from './claim-store.ts';

const RETRY = { initialMs: 5_000, maxMs: 5_000 };
/** A driver that reports more devices than this is not believed. */
const MAX_DEVICES = 10_000;

export interface ClaimHealthParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly store: Pick<ClaimStore, 'all' | 'get'>;
  /** `<root>/dra_health_state`. */
  readonly path: string;
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile'>;
}

export class ClaimHealth {
  readonly name = 'health of claims';
  readonly #parts: ClaimHealthParts;
  readonly #known = new Map<string, ReadonlyMap<string, KnownHealth>>();
  readonly #expiries = new Map<string, Disposable>();
  readonly #changes = new Emitter<[uid: PodUid]>();
  readonly #writer: ConflatingWriter;

  constructor(parts: ClaimHealthParts) {
    this.#parts = parts;
    const { clock, logger } = parts.kit;
    this.#writer = new ConflatingWriter({
      clock,
      write: () => parts.files.writeFile(parts.path, renderHealth(this.#known), 0o600),
      onFailure: (error) =>
        logger.warn('cannot write the device health checkpoint', { err: errorText(error) }),
    });
  }

  /** A file that cannot be used costs no more than that devices are unknown until their driver reports. */
  async load(): Promise<void> {
    const { kit, path, files } = this.#parts;
    const lose = (problem: string): void =>
      kit.logger.warn('cannot use the device health checkpoint', { path, err: problem });
    try {
      const text = await files.readFile(path);
      const parsed = text === undefined ? new Map() : parseHealth(text, kit.clock.now());
      if ('problem' in parsed) return lose(parsed.problem);
      for (const [driver, devices] of parsed) {
        this.#known.set(driver, devices);
        this.#awaitExpiry(driver);
      }
    } catch (error) {
      lose(errorText(error));
    }
  }

  /** With the time of the last reports, which is not written each time. */
  async flush(): Promise<void> {
    if (this.#known.size > 0) this.#writer.schedule();
    await this.#writer.flush();
  }

  /** Calls `listener` when the health of devices of a pod may be another; dispose the result to stop. */
  subscribe(listener: (uid: PodUid) => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Until `gone` aborts. Never rejects. */
  async follow(name: string, driver: DraDriver, gone: AbortSignal): Promise<void> {
    const { clock, logger } = this.#parts.kit;
    const watch = async (): Promise<void> => {
      try {
        await driver.watchHealth((reports) => this.#note(name, reports), gone);
      } catch (error) {
        if (hasCode(error, 'unimplemented')) return;
        throw error;
      }
      throw new Error('the driver ended its reports');
    };
    const onFailure = (): void =>
      logger.debug({ file: 'claim-health', level: 2 }, 'health of devices is not reported', { driver: name });
    await retryUntilStopped(watch, { clock, policy: RETRY, stop: gone, onFailure });
  }

  /** By container; those without claims are left out. */
  of(pod: Pod): ReadonlyMap<string, readonly AllocatedResourceStatus[]> {
    const byContainer = new Map<string, readonly AllocatedResourceStatus[]>();
    const claims = findPodClaims(pod);
    if (!claims.ok) return byContainer;
    for (const { name, resources } of pod.spec.containers) {
      const uses = (resources?.claims ?? []).flatMap((used): ClaimUse[] => {
        const claim = claims.value.find(({ ref }) => ref === used.name);
        const key = claimKey({ namespace: pod.metadata.namespace, name: claim?.name ?? '' });
        const info = this.#parts.store.get(key);
        return info === undefined ? [] : [{ ref: used.name, request: used.request || undefined, info }];
      });
      const health = toClaimHealth(uses, (driver, device) => this.#find(driver, device));
      if (health.length > 0) byContainer.set(name, health);
    }
    return byContainer;
  }

  close(): void {
    for (const timer of this.#expiries.values()) timer[Symbol.dispose]();
  }

  #find(driver: string, { pool, device }: PreparedDevice): KnownHealth | undefined {
    const known = this.#known.get(driver)?.get(`${pool}/${device}`);
    return known !== undefined && isCurrent(known, this.#parts.kit.clock.now()) ? known : undefined;
  }

  #note(driver: string, reports: readonly DeviceHealthReport[]): void {
    const nowMs = this.#parts.kit.clock.now();
    const list = reports.slice(0, MAX_DEVICES).map((report) => toKnownHealth(report, nowMs));
    const known = new Map(list.map((one) => [`${one.pool}/${one.device}`, one]));
    const before = this.#known.get(driver);
    const isNews = !isSameHealth(known, before);
    const wasCurrent = [...(before?.values() ?? [])].every((one) => isCurrent(one, nowMs));
    this.#known.set(driver, known);
    if (isNews) this.#writer.schedule();
    this.#awaitExpiry(driver);
    // A driver repeats itself every few seconds: no pod has to be looked at for that.
    if (isNews || !wasCurrent) this.#announce(driver);
  }

  /** Announces when the next of the reports is over, one after the other. */
  #awaitExpiry(driver: string): void {
    const { clock } = this.#parts.kit;
    this.#expiries.get(driver)?.[Symbol.dispose]();
    this.#expiries.delete(driver);
    const nowMs = clock.now();
    const current = [...(this.#known.get(driver)?.values() ?? [])].filter((one) => isCurrent(one, nowMs));
    if (current.length === 0) return;
    const nextMs = Math.min(...current.map(({ atMs, timeoutMs }) => atMs + timeoutMs)) - nowMs;
    const expire = (): void => {
      this.#awaitExpiry(driver);
      this.#announce(driver);
    };
    this.#expiries.set(driver, clock.startTimer(nextMs + 1, expire));
  }

  #announce(driver: string): void {
    const users = this.#parts.store.all().filter(({ drivers }) => drivers.has(driver));
    for (const text of new Set(users.flatMap(({ podUids }) => [...podUids]))) {
      const uid = parsePodUid(text);
      if (uid !== undefined) this.#changes.emit(uid);
    }
  }
}
