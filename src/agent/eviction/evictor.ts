/**
 * Keeps the node from running out of memory, disk and processes: measures,
 * decides, deletes what is not needed, and then ends one pod at a time, the one
 * whose turn it is by the rules of core/eviction.
 *
 *   wait (period, soft grace, memory) ─► measure the node ─► assess ─► reclaim ─► measure ─► evict one ─► wait for its end
 *
 * While nothing is short only the node is measured, which is a handful of small
 * reads; pods are measured when one of them may have to go. Memory is looked at
 * more often the less of it is left.
 *
 * Owner of the node's pressures. What it remembers are the times of thresholds:
 * after a restart they begin again, and no pod is lost or evicted twice, because
 * a pod that ends is no candidate.
 */

import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  assessPressure,
  findMet,
  NO_PRESSURE_YET,
  type Pressure,
  type PressureMemory,
} from '../../core/eviction/assess-pressure.ts';
import {
  type DiskLayout,
  fileSystemOf,
  type ReclaimStep,
  reclaimStepsFor,
  withContainerFs,
} from '../../core/eviction/disk-layout.ts';
import { describeShortage } from '../../core/eviction/eviction-message.ts';
import { planEviction } from '../../core/eviction/eviction-plan.ts';
import { hasLocalStorageLimit } from '../../core/eviction/local-storage.ts';
import { computeLookMs, computeMemoryCheckMs } from '../../core/eviction/next-check.ts';
import { type Observations, toObservations } from '../../core/eviction/observations.ts';
import { hasLocalVolume } from '../../core/eviction/pod-usage.ts';
import { type PressureCondition, resourceOf } from '../../core/eviction/signals.ts';
import type { Threshold } from '../../core/eviction/threshold.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { EvictionReport, EvictionReporter } from '../../ports/host/eviction-report.ts';
import type { NodeReclaim } from '../../ports/host/node-reclaim.ts';
import type { NodeStatistics } from '../../ports/host/node-statistics.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DesiredPods } from '../desired/desired-pods.ts';
import type { NodeState, NodeStateClaim } from '../node/node-state.ts';
import type { VolumeMeasurements } from '../volume/volume-measurer.ts';
import { whenGone, whenRoomIsBack } from './await-relief.ts';
import { evictFirst, evictOverLimit, toStatsLookup } from './choose-victims.ts';
import type { EvictionSettings } from './eviction-settings.ts';
import { FullDiskLog } from './full-disk-log.ts';

/** While something is short or could not be measured. */
const PERIOD_MS = 10_000;
/** Counting the files of volumes is waited for so long before a pod is chosen. */
const COUNT_WAIT_MS = 10_000;

export interface EvictorParts {
  readonly kit: Kit;
  readonly statistics: Pick<NodeStatistics, 'read' | 'readNode' | 'readNodeUsage'>;
  readonly reclaim: NodeReclaim;
  readonly desired: Pick<DesiredPods, 'activePods' | 'records' | 'requestTermination'>;
  readonly volumes: Pick<VolumeMeasurements, 'refresh'>;
  readonly state: Pick<NodeState, 'claim'>;
  readonly settings: EvictionSettings;
}

/** What one round found and did. */
interface Look {
  readonly evicted: readonly PodUid[];
  readonly pressure: Pressure;
  /** Undefined when much has happened since. */
  readonly observations: Observations | undefined;
}

export class Evictor implements EvictionReporter {
  readonly name = 'eviction';
  readonly #parts: EvictorParts;
  readonly #mailbox: Mailbox;
  readonly #claim: NodeStateClaim;
  readonly #fullDisks: FullDiskLog;
  #memory: PressureMemory = NO_PRESSURE_YET;
  #conditions: readonly PressureCondition[] = [];
  /** All is well, so the next look may be later than the shortest period. */
  #isCalm = false;
  /** Known once the disks are. */
  #thresholds: readonly Threshold[] | undefined;
  /** Those of the configuration that they were made of; a reload replaces them. */
  #configured: readonly Threshold[] | undefined;

  constructor(parts: EvictorParts) {
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.kit.clock);
    this.#fullDisks = new FullDiskLog(parts.kit.logger);
    this.#claim = parts.state.claim('pressures', () => ({
      memory: this.#conditions.includes('MemoryPressure'),
      disk: this.#conditions.includes('DiskPressure'),
      pid: this.#conditions.includes('PIDPressure'),
    }));
  }

  /** Something may have changed for the worse: measures now instead of at the next period. */
  wake(reason: string): void {
    this.#mailbox.post(reason);
  }

  get last(): EvictionReporter['last'] {
    return { thresholds: this.#thresholds ?? [], observations: this.#memory.lastObserved };
  }

  async report(signal: AbortSignal): Promise<EvictionReport> {
    const { settings, statistics, volumes } = this.#parts;
    await volumes.refresh(hasLocalVolume, COUNT_WAIT_MS);
    const { summary, layout, atMs } = await statistics.read({ maxAgeMs: 0, signal });
    const signals = planEviction({
      thresholds: this.#thresholds ?? withContainerFs(settings.thresholds, layout),
      observations: toObservations(summary, atMs),
      pods: this.#candidates(),
      findStats: toStatsLookup(summary.pods),
      layout,
    });
    return { signals, conditions: this.#conditions };
  }

  async run(stop: AbortSignal): Promise<void> {
    const { kit, settings } = this.#parts;
    if (settings.thresholds.length === 0 && !settings.limitsLocalStorage) return;
    using _records = this.#parts.desired.records.subscribe((_uid, record) => this.#onRecord(record));
    while (!stop.aborted) {
      const startedAtMs = kit.clock.steady();
      let untilMs = startedAtMs + PERIOD_MS;
      let observed: Observations | undefined;
      try {
        const { evicted, pressure, observations } = await this.#look(stop);
        const periodMs = this.#choosePeriod(pressure, observations);
        untilMs = Math.min(startedAtMs + periodMs, pressure.wakeAtMs ?? Infinity);
        observed = observations;
        if (evicted.length > 0) {
          await whenGone(this.#parts, evicted, stop);
          await whenRoomIsBack(this.#parts, this.#thresholds ?? [], stop);
          continue;
        }
      } catch (error) {
        if (stop.aborted) return;
        kit.logger.warn('cannot measure the node for eviction', { err: errorText(error) });
      }
      await this.#waitUntil(untilMs, observed ?? this.#observeMemory(), stop);
    }
  }

  /** Longer while all is well: nothing is short, and no pod has to be held to limits of its own. */
  #choosePeriod({ conditions }: Pressure, observations: Observations | undefined): number {
    this.#isCalm = false;
    if (observations === undefined || conditions.length > 0) return PERIOD_MS;
    if (this.#limitedPods().length > 0) return PERIOD_MS;
    this.#isCalm = true;
    return computeLookMs(this.#thresholds ?? [], observations);
  }

  /** The first pod that has to be held to limits of its own ends the long wait. */
  #onRecord(record: DesiredPod | undefined): void {
    // Records change often: all pods are gone through only for one that may be the first.
    if (!this.#isCalm || record === undefined || !hasLocalStorageLimit(record.pod)) return;
    if (this.#limitedPods().length === 0) return;
    this.#isCalm = false;
    this.wake('a pod has limits of local storage');
  }

  /** Until then, a wake-up, or the moment that a threshold of memory is met that was not in `observed`. */
  async #waitUntil(untilMs: number, observed: Observations, stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts.kit;
    for (let observations = observed; ; observations = this.#observeMemory()) {
      if (observations !== observed && this.#hasNewlyMet(observations)) return;
      const quickMs = computeMemoryCheckMs(this.#thresholds ?? [], observations);
      const wake = await this.#mailbox.wait(stop, Math.min(untilMs, clock.steady() + quickMs));
      if (wake.kind !== 'deadline' || clock.steady() >= untilMs) return;
    }
  }

  #observeMemory(): Observations {
    try {
      const { summary, atMs } = this.#parts.statistics.readNodeUsage();
      return toObservations(summary, atMs);
    } catch {
      // The next whole look says what is wrong.
      return new Map();
    }
  }

  /** A threshold that is met already is the business of the period and of its grace. */
  #hasNewlyMet(observations: Observations): boolean {
    return findMet(this.#thresholds ?? [], observations, false).some(
      (threshold) => !this.#memory.firstMetMs.has(threshold),
    );
  }

  /** One round; resolves to the pods that were evicted in it. */
  async #look(stop: AbortSignal): Promise<Look> {
    const { kit, settings, statistics } = this.#parts;
    const reading = await statistics.readNode({ maxAgeMs: 0, signal: stop });
    this.#followSettings(reading.layout);
    const observations = toObservations(reading.summary, reading.atMs);
    this.#fullDisks.note(observations);
    const pressure = assessPressure({
      thresholds: this.#thresholds ?? [],
      observations,
      memory: this.#memory,
      transitionMs: settings.transitionMs,
      nowMs: kit.clock.steady(),
    });
    this.#remember(pressure);
    const overLimit = await evictOverLimit({ ...this.#parts, pods: this.#limitedPods() }, stop);
    const [threshold] = pressure.due;
    if (overLimit.length > 0 || threshold === undefined)
      return { evicted: overLimit, pressure, observations };
    const victim = await this.#relieve(threshold, reading.layout, stop);
    return { evicted: victim === undefined ? [] : [victim], pressure, observations: undefined };
  }

  /** Times of thresholds that are no more are forgotten with them. */
  #followSettings(layout: DiskLayout): void {
    const { thresholds } = this.#parts.settings;
    if (this.#configured === thresholds) return;
    if (this.#configured !== undefined) this.#memory = { ...this.#memory, acted: [], firstMetMs: new Map() };
    this.#configured = thresholds;
    this.#thresholds = withContainerFs(thresholds, layout);
  }

  #remember({ memory, conditions }: Pressure): void {
    this.#memory = memory;
    const before = this.#conditions;
    this.#conditions = conditions;
    if (before.length === conditions.length && before.every((one) => conditions.includes(one))) return;
    this.#parts.kit.logger.info('the pressures of the node changed', { pressures: conditions.join(' ') });
    this.#claim.changed();
  }

  /** Deletes what is not needed; if that is not enough, ends the first pod that may be ended. */
  async #relieve(threshold: Threshold, layout: DiskLayout, stop: AbortSignal): Promise<PodUid | undefined> {
    const { kit, statistics } = this.#parts;
    const message = `Attempting to reclaim ${resourceOf(threshold.signal)}`;
    const annotations = describeShortage(threshold, this.#memory.lastObserved.get(threshold.signal));
    kit.events.record({
      about: 'node',
      type: 'Warning',
      reason: 'EvictionThresholdMet',
      message,
      annotations,
    });
    kit.logger.info('the node is short of a resource', annotations);
    const steps = reclaimStepsFor(threshold.signal, layout);
    for (const step of steps) await this.#reclaim(step, stop);
    await this.#countVolumes(threshold);
    const now = await statistics.read({ maxAgeMs: 0, signal: stop });
    const observations = toObservations(now.summary, now.atMs);
    if (steps.length > 0 && findMet(this.#thresholds ?? [], observations, true).length === 0) {
      kit.logger.info('reclaiming was enough, no pod is evicted', { signal: threshold.signal });
      return undefined;
    }
    return evictFirst({ ...this.#parts, pods: this.#candidates() }, threshold, now, observations);
  }

  /** What cannot be deleted, such as an image that is used outside of pods, must not keep a pod from being ended. */
  async #reclaim(step: ReclaimStep, stop: AbortSignal): Promise<void> {
    const { kit, reclaim } = this.#parts;
    try {
      if (step === 'dead-containers') await reclaim.removeDeadContainers(stop);
      else await reclaim.removeUnusedImages(stop);
    } catch (error) {
      if (!stop.aborted) kit.logger.warn('a reclaim step failed', { step, err: errorText(error) });
    }
  }

  /** Volumes are counted once a minute at most: without this the one that grows would look like the others. */
  async #countVolumes({ signal }: Threshold): Promise<void> {
    if (fileSystemOf(signal) === undefined) return;
    await this.#parts.volumes.refresh(hasLocalVolume, COUNT_WAIT_MS);
  }

  /** Pods that are held to limits of their own. */
  #limitedPods(): Pod[] {
    return this.#parts.settings.limitsLocalStorage ? this.#candidates().filter(hasLocalStorageLimit) : [];
  }

  /** Pods that hold something and do not end already. */
  #candidates(): Pod[] {
    const { desired } = this.#parts;
    return desired
      .activePods()
      .filter(({ metadata: { uid } }) => desired.records.get(toPodUid(uid))?.termination === undefined);
  }
}
