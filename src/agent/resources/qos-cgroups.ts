/**
 * Keeps the cgroup of all pods and the two QoS tiers below it as they should
 * be: made before anything else is done with cgroups, the node's limits at
 * start, the weight of the burstable tier after each pod that comes or goes,
 * all of it again when they had to be made again. The one writer of these cgroups.
 *
 * Invariant: after a restart the weight of a tier that exists is not changed
 * before every source has been seen; it would fall for the pods that run.
 */

import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText } from '../../base/errors.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podsCgroupName, qosCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import {
  type CgroupValues,
  computeTierMemory,
  computeTierValues,
  NO_DEMAND,
  sumDemands,
  type TierDemand,
  toTierDemand,
} from '../../core/resources/cgroup-values.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { CgroupRefusals } from './cgroup-refusals.ts';

const RETRY_MS = 60_000;

export interface QosCgroupsParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'events'>;
  readonly cgroups: PodCgroups;
  readonly desired: Pick<DesiredPods, 'records' | 'allSourcesSeen' | 'onAllSourcesSeen'>;
  readonly node: NodeProfile;
  /** What the node gives to all pods together. */
  readonly allPods: CgroupValues;
  /** How much of what higher tiers ask for is kept from lower ones; undefined is nothing. */
  readonly reservedMemoryPercent: number | undefined;
  readonly refusals: CgroupRefusals;
}

export class QosCgroups {
  readonly name = 'QoS cgroups';
  readonly #parts: QosCgroupsParts;
  readonly #mailbox: Mailbox;
  readonly #demands = new Map<PodUid, TierDemand>();
  /** Another one since all of them were lost. */
  #made = new Set<string>();
  /** What each cgroup has, as text; absent when it is not known. Another one since all of it was lost. */
  #written = new Map<string, string>();
  readonly #allPods: string;
  readonly #burstable: string;
  readonly #bestEffort: string;
  /** True while the burstable tier is that of an earlier life of the agent. */
  #inherited = false;
  #enforced = false;

  constructor(parts: QosCgroupsParts) {
    const { cgroupRoot, cgroupDriver } = parts.node;
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.kit.clock);
    this.#allPods = toCgroupPath(podsCgroupName(cgroupRoot), cgroupDriver);
    this.#burstable = toCgroupPath(qosCgroupName(cgroupRoot, 'Burstable'), cgroupDriver);
    this.#bestEffort = toCgroupPath(qosCgroupName(cgroupRoot, 'BestEffort'), cgroupDriver);
  }

  /**
   * Makes the cgroups. With them the root hands controllers down that nothing else has asked for: cgroups of others
   * that are to be enforced may lack them until then. Never rejects: `run` tries again.
   */
  async load(): Promise<void> {
    const { kit, cgroups, node } = this.#parts;
    if (!node.cgroupsPerQos) return;
    this.#inherited = await cgroups.exists(this.#burstable).catch(() => false);
    try {
      for (const path of [this.#burstable, this.#bestEffort]) await this.#make(path);
    } catch (error) {
      kit.logger.warn('cannot make the QoS cgroups', { err: errorText(error) });
    }
  }

  /** They had to be made again, for a pod: what was written to them is lost. */
  writeAgain(): void {
    this.#inherited = false;
    // What is being made or written just now is noted in the old ones.
    this.#made = new Set();
    this.#written = new Map();
    this.#mailbox.post('made again');
  }

  /** Runs until `stop` aborts; returns at once on a node without such cgroups. Never rejects. */
  async run(stop: AbortSignal): Promise<void> {
    const { kit, desired, node } = this.#parts;
    const { clock } = kit;
    if (!node.cgroupsPerQos) return;
    using _subscription = desired.records.subscribe((uid, record) => {
      if (this.#note(uid, record)) this.#mailbox.post('pods');
    });
    for (const [uid, record] of desired.records.entries()) this.#note(uid, record);
    desired.onAllSourcesSeen(() => this.#mailbox.post('all sources seen'));
    while (!stop.aborted) {
      const complete = await this.#write();
      await this.#mailbox.wait(stop, complete ? undefined : clock.steady() + RETRY_MS);
    }
  }

  /** True when the pod now counts for more or less than before. */
  #note(uid: PodUid, record: DesiredPod | undefined): boolean {
    const before = this.#demands.get(uid);
    if (record === undefined) return this.#demands.delete(uid);
    const demand = this.#toDemand(record, before);
    this.#demands.set(uid, demand);
    return JSON.stringify(demand) !== JSON.stringify(before);
  }

  /** A pod weighs as long as something of it may run; one that was refused or has ended by itself never again. */
  #toDemand({ pod, source, termination }: DesiredPod, before: TierDemand | undefined): TierDemand {
    const cause = termination?.cause;
    if (source === 'runtime' || cause === 'completed' || cause === 'rejected') return NO_DEMAND;
    return cause !== undefined && before !== undefined ? before : toTierDemand(pod, this.#parts.node);
  }

  /** True when every cgroup has its values, or never will. */
  async #write(): Promise<boolean> {
    const { kit, desired, node, allPods } = this.#parts;
    const { logger } = kit;
    const known = !this.#inherited || desired.allSourcesSeen;
    const demand = known ? sumDemands(this.#demands.values()) : undefined;
    const tiers = computeTierValues(demand, node);
    const kept = this.#toTierMemory(demand);
    try {
      // The tiers' directories come first: making them makes their parent.
      const done = [
        await this.#applyTier(this.#burstable, { ...tiers.burstable, ...kept?.burstable }),
        await this.#applyTier(this.#bestEffort, { ...tiers.bestEffort, ...kept?.bestEffort }),
        await this.#apply(this.#allPods, { ...allPods, ...tiers.allPods }, false),
      ];
      this.#recordEnforced(done[2] ?? '');
      return done.every((problem) => problem === '');
    } catch (error) {
      logger.warn('cannot write the QoS cgroups, retrying later', { err: errorText(error) });
      return false;
    }
  }

  #toTierMemory(demand: TierDemand | undefined): ReturnType<typeof computeTierMemory> | undefined {
    const { allPods, reservedMemoryPercent } = this.#parts;
    if (demand === undefined || reservedMemoryPercent === undefined) return undefined;
    return computeTierMemory(allPods.memoryLimitBytes ?? 0, demand, reservedMemoryPercent);
  }

  /** What a tier uses already it keeps for now: less than that the kernel may refuse. */
  async #applyTier(path: string, values: CgroupValues): Promise<string> {
    const problem = await this.#apply(path, values, true);
    if (problem === '' || values.memoryLimitBytes === undefined) return problem;
    const { memoryUsageBytes = 0 } = await this.#parts.cgroups.read(path);
    if (memoryUsageBytes > values.memoryLimitBytes)
      await this.#parts.cgroups.apply(path, { memoryLimitBytes: memoryUsageBytes });
    return problem;
  }

  /** Empty when the values are there or were refused for good, else what to wait for. */
  async #apply(path: string, values: CgroupValues, create: boolean): Promise<string> {
    const { cgroups, refusals } = this.#parts;
    const written = this.#written;
    const text = JSON.stringify(values);
    if (written.get(path) === text) return '';
    if (create) await this.#make(path);
    written.delete(path);
    const refused = await cgroups.apply(path, values);
    refusals.note(path, refused);
    const later = refused.filter(({ retryable }) => retryable).map(({ message }) => message);
    if (later.length === 0) written.set(path, text);
    return later.join('; ');
  }

  async #make(path: string): Promise<void> {
    const { kit, cgroups } = this.#parts;
    const made = this.#made;
    if (made.has(path)) return;
    const { warnings } = await cgroups.ensure(path);
    for (const warning of warnings) kit.logger.warn(warning);
    made.add(path);
  }

  /** The node's limits are worth an event when they take hold, and each time they do not. */
  #recordEnforced(problem: string): void {
    if (this.#enforced) return;
    this.#enforced = problem === '';
    this.#parts.kit.events.record(
      this.#enforced
        ? {
            about: 'node',
            type: 'Normal',
            reason: 'NodeAllocatableEnforced',
            message: 'Updated Node Allocatable limit across pods',
          }
        : {
            about: 'node',
            type: 'Warning',
            reason: 'FailedNodeAllocatableEnforcement',
            message: `Failed to update Node Allocatable Limits ${JSON.stringify(this.#allPods)}: ${problem}`,
          },
    );
  }
}
