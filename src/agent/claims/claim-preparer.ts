/**
 * Makes the claims of pods ready on this node before anything of the pod
 * starts, and undoes it when the last pod that uses them is gone. Each driver
 * is called once for all claims of a pod; every call may be repeated.
 *
 * Invariants: a claim that a pod uses is on disk before a driver is asked for
 * it; work on one claim never overlaps; a claim is taken back only when no
 * pod uses it.
 */
import { KeyedMutex } from '../../base/async/keyed-mutex.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { ResourceClaim } from '../../core/api/resource-claim.ts';
import { checkClaim, driversOf } from '../../core/claims/check-claim.ts';
import { type ClaimInfo, claimKey, withoutPod, withPod } from '../../core/claims/claim-info.ts';
import { findPodClaims, hasClaims, type PodClaim } from '../../core/claims/pod-claims.ts';
import type { DraDriver } from '../../ports/devices/dra-driver.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ClaimStore } from './claim-store.ts';

export interface ClaimPreparerParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'meter'>;
  readonly store: ClaimStore;
  readonly drivers: { find(name: string): DraDriver | undefined };
  /** The object as the API server has it; undefined when there is none. Rejects with AgentError. */
  readonly readClaim: (
    namespace: string,
    name: string,
    signal: AbortSignal,
  ) => Promise<ResourceClaim | undefined>;
}

export class ClaimPreparer {
  readonly #parts: ClaimPreparerParts;
  readonly #turns = new KeyedMutex();

  constructor(parts: ClaimPreparerParts) {
    this.#parts = parts;
  }

  /** Rejects with AgentError, in upstream's words; to be called again until it resolves. */
  async prepare(pod: Pod, signal: AbortSignal): Promise<void> {
    if (!hasClaims(pod)) return;
    await this.#measured('PrepareResources', 'prepare dynamic resources', async () => {
      const claims = findPodClaims(pod);
      if (!claims.ok) throw new Error(claims.message);
      const keys = claims.value.map(({ name }) => claimKey({ namespace: pod.metadata.namespace, name }));
      if (keys.every((key) => this.#isReady(key, pod))) return;
      await this.#inTurn(keys, () => this.#prepareAll(pod, claims.value, signal));
    });
  }

  /** The pod is over: what it alone used is taken back. Rejects with AgentError; may be repeated. */
  async unprepare(podUid: string, signal?: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    const keys = store.ofPod(podUid).map(claimKey);
    if (keys.length === 0) return;
    await this.#measured('UnprepareResources', 'unprepare dynamic resources', () =>
      this.#inTurn(keys, () => this.#unprepareAll(podUid, signal)),
    );
  }

  #isReady(key: string, { metadata }: Pod): boolean {
    const { store } = this.#parts;
    return store.isPrepared(key) && store.get(key)?.podUids.has(metadata.uid) === true;
  }

  async #prepareAll(pod: Pod, claims: readonly PodClaim[], signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    const infos: ClaimInfo[] = [];
    for (const claim of claims) infos.push(await this.#check(pod, claim, signal));
    for (const info of infos) store.put(withPod(info, pod.metadata.uid));
    await store.stored();
    const missing = infos.filter((info) => !store.isPrepared(claimKey(info)));
    const names = new Set(missing.flatMap(({ drivers }) => [...drivers.keys()]));
    for (const name of names) {
      const own = missing.filter(({ drivers }) => drivers.has(name));
      await this.#prepareWith(name, this.#driver(name), own, signal);
    }
    for (const info of missing) store.markPrepared(claimKey(info));
    await store.stored();
  }

  /** The claim with all its drivers, as known so far. */
  async #check(pod: Pod, podClaim: PodClaim, signal: AbortSignal): Promise<ClaimInfo> {
    const { store, readClaim } = this.#parts;
    const { namespace } = pod.metadata;
    const { name } = podClaim;
    const claim = await readClaim(namespace, name, signal).catch((error: unknown) => {
      throw new Error(`fetch ResourceClaim ${name}: ${errorText(error)}`);
    });
    if (claim === undefined)
      throw new Error(`fetch ResourceClaim ${name}: resourceclaims.resource.k8s.io "${name}" not found`);
    const problem = checkClaim(pod, podClaim, claim);
    if (problem !== undefined) throw new Error(problem);
    for (const driver of driversOf(claim)) this.#driver(driver);
    const known = store.get(claimKey({ namespace, name }));
    const { uid } = claim.metadata;
    if (known !== undefined && known.uid !== uid)
      throw new Error(
        `old ResourceClaim with same name ${name} and different UID ${known.uid} still exists (previous pod force-deleted?!)`,
      );
    if (known !== undefined) return known;
    const drivers = new Map(driversOf(claim).map((driver) => [driver, []]));
    return { uid, name, namespace, podUids: new Set(), drivers };
  }

  #driver(name: string): DraDriver {
    const driver = this.#parts.drivers.find(name);
    if (driver === undefined) throw new Error(`DRA driver ${name} is not registered`);
    return driver;
  }

  async #prepareWith(
    name: string,
    driver: DraDriver,
    claims: readonly ClaimInfo[],
    signal: AbortSignal,
  ): Promise<void> {
    const { store } = this.#parts;
    const answers = await driver.prepare(claims, signal).catch((error: unknown) => {
      throw new Error(`NodePrepareResources: ${errorText(error)}`);
    });
    for (const [uid, { error, devices }] of answers) {
      const claim = claims.find((one) => one.uid === uid);
      if (claim === undefined)
        throw new Error(`NodePrepareResources returned result for unknown claim UID ${uid}`);
      if (error !== '')
        throw new Error(`NodePrepareResources failed for ResourceClaim ${claim.name}: ${error}`);
      const current = store.get(claimKey(claim)) ?? claim;
      store.put({ ...current, drivers: new Map([...current.drivers, [name, devices]]) });
    }
    const skipped = claims.filter(({ uid }) => !answers.has(uid)).length;
    if (skipped > 0) throw new Error(`NodePrepareResources skipped ${skipped} ResourceClaims`);
  }

  async #unprepareAll(podUid: string, signal: AbortSignal | undefined): Promise<void> {
    const { store } = this.#parts;
    const used = store.ofPod(podUid);
    const [shared, last] = [used.filter(isShared), used.filter((info) => !isShared(info))];
    for (const info of shared) store.put(withoutPod(info, podUid));
    for (const info of last) store.markUnprepared(claimKey(info));
    if (used.length > 0) await store.stored();
    const names = new Set(last.flatMap(({ drivers }) => [...drivers.keys()]));
    for (const name of names) {
      const own = last.filter(({ drivers }) => drivers.has(name));
      await this.#unprepareWith(this.#driver(name), own, signal);
    }
    for (const info of last) store.delete(claimKey(info));
    if (last.length > 0) await store.stored();
  }

  async #unprepareWith(
    driver: DraDriver,
    claims: readonly ClaimInfo[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const answers = await driver.unprepare(claims, signal).catch((error: unknown) => {
      throw new Error(`NodeUnprepareResources: ${errorText(error)}`);
    });
    for (const [uid, error] of answers) {
      const claim = claims.find((one) => one.uid === uid);
      if (claim === undefined)
        throw new Error(`NodeUnprepareResources returned result for unknown claim UID ${uid}`);
      if (error !== '')
        throw new Error(`NodeUnprepareResources failed for ResourceClaim ${claim.name}: ${error}`);
    }
    const skipped = claims.filter(({ uid }) => !answers.has(uid)).length;
    if (skipped > 0) throw new Error(`NodeUnprepareResources skipped ${skipped} ResourceClaims`);
  }

  async #measured(
    operation: 'PrepareResources' | 'UnprepareResources',
    what: string,
    work: () => Promise<void>,
  ): Promise<void> {
    const { clock, meter } = this.#parts.kit;
    const startedAtMs = clock.steady();
    let failed = true;
    try {
      await work();
      failed = false;
    } catch (error) {
      throw new AgentError('unavailable', `${what}: ${errorText(error)}`, { cause: error });
    } finally {
      meter.claimsHandled(operation, failed, clock.steady() - startedAtMs);
    }
  }

  /** One claim after the other in the order of their names, so that two pods cannot wait for each other. */
  async #inTurn(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    const [first, ...rest] = [...new Set(keys)].sort();
    if (first === undefined) return work();
    await this.#turns.run(first, () => this.#inTurn(rest, work));
  }
}

function isShared({ podUids }: ClaimInfo): boolean {
  return podUids.size > 1;
}
