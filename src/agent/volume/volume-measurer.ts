/**
 * Measures the volumes of pods periodically and keeps the last readings for
 * metrics and statistics: reading them costs nothing and waits for no volume.
 *
 *   follow ──a while──► measure all volumes of the pod ──a period or two──► …
 *
 * Invariants: of one volume at most one reading is under way, so a server
 * that does not answer costs one reading and not one more each period; a
 * volume that is no longer set up is neither measured nor shown.
 */
import { Deadline } from '../../base/async/deadline.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { toAbnormalEvent, toMeasurement, type VolumeMeasurement } from '../../core/volume/volume-usage.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Kit } from '../../ports/kit.ts';
import type { VolumeGauge } from '../../ports/storage/volume-driver.ts';

/** A new volume is measured after this part of the period, or twice that: its pod may still be starting. */
const FIRST_PART = 0.1;
/** No driver may take longer. */
const PATIENCE_MS = 120_000;

/** What can be measured of a pod now. */
export interface PodGauges {
  readonly pod: Pod;
  /** By volume. */
  readonly gauges: ReadonlyMap<string, VolumeGauge>;
  /** Aborts when the volumes go. */
  readonly signal: AbortSignal;
}

export interface VolumeMeasurerParts extends Pick<Kit, 'clock' | 'logger' | 'random'> {
  /** Undefined for a pod without volumes. */
  readonly readGauges: (uid: PodUid) => PodGauges | undefined;
  readonly periodMs: number;
  readonly events: Pick<EventRecorder, 'record'>;
  /** A reading has ended, well or not. */
  readonly onRead?: (source: string, durationMs: number) => void;
}

/** The last readings, for those who show them. */
export interface VolumeMeasurements {
  list(): readonly VolumeMeasurement[];
  /** Measures the volumes that are wanted now and waits for that, but no longer than `timeoutMs`. Never rejects. */
  refresh(isWanted: (pod: Pod, volume: string) => boolean, timeoutMs: number): Promise<void>;
}

interface Known {
  last?: VolumeMeasurement;
  /** The reading that is under way. */
  asked?: Promise<void> | undefined;
}

export class VolumeMeasurer implements VolumeMeasurements {
  readonly name = 'volume measurer';
  readonly #parts: VolumeMeasurerParts;
  readonly #timers = new Map<PodUid, Disposable>();
  /** By pod and gauge: a volume that is set up again is another one. */
  readonly #known = new Map<PodUid, Map<VolumeGauge, Known>>();
  #isClosed = false;

  constructor(parts: VolumeMeasurerParts) {
    this.#parts = parts;
  }

  /** The pod has volumes: they are measured until it has none. */
  follow(uid: PodUid): void {
    if (this.#timers.has(uid) || this.#isClosed) return;
    const { periodMs } = this.#parts;
    // Zero and less is how users switch it off.
    if (periodMs <= 0 || (this.#parts.readGauges(uid)?.gauges.size ?? 0) === 0) return;
    this.#plan(uid, periodMs * FIRST_PART);
  }

  list(): readonly VolumeMeasurement[] {
    return [...this.#known].flatMap(([uid, known]) => {
      const { gauges } = this.#parts.readGauges(uid) ?? { gauges: new Map<string, VolumeGauge>() };
      return [...gauges.values()].flatMap((gauge) => known.get(gauge)?.last ?? []);
    });
  }

  async refresh(isWanted: (pod: Pod, volume: string) => boolean, timeoutMs: number): Promise<void> {
    const readings = [...this.#timers.keys()].flatMap((uid) => this.#askAll(uid, isWanted) ?? []);
    if (readings.length === 0) return;
    using limit = new Deadline(this.#parts.clock, { timeoutMs });
    await Promise.race([Promise.all(readings), whenAborted(limit.signal)]);
  }

  /** Nothing is measured any more. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  /** After `ms` to twice that, so that pods that came together are not measured together. */
  #plan(uid: PodUid, ms: number): void {
    const { clock, random } = this.#parts;
    this.#timers.set(
      uid,
      clock.startTimer(ms * (1 + random()), () => this.#measure(uid)),
    );
  }

  #measure(uid: PodUid): void {
    if (this.#askAll(uid, () => true) !== undefined) {
      this.#plan(uid, this.#parts.periodMs);
      return;
    }
    this.#timers.delete(uid);
    this.#known.delete(uid);
  }

  /** The readings of these volumes that are under way now; undefined for a pod without volumes. */
  #askAll(uid: PodUid, isWanted: (pod: Pod, volume: string) => boolean): Promise<void>[] | undefined {
    const found = this.#parts.readGauges(uid);
    if (found === undefined || found.gauges.size === 0) return undefined;
    const before = this.#known.get(uid) ?? new Map<VolumeGauge, Known>();
    const known = new Map<VolumeGauge, Known>();
    for (const gauge of found.gauges.values()) known.set(gauge, before.get(gauge) ?? {});
    this.#known.set(uid, known);
    return [...found.gauges].flatMap(([name, gauge]) => {
      const volume = known.get(gauge);
      if (volume === undefined || !isWanted(found.pod, name)) return [];
      volume.asked ??= this.#ask(found, name, gauge, volume).finally(() => {
        volume.asked = undefined;
      });
      return [volume.asked];
    });
  }

  /** Never rejects. */
  async #ask({ pod, signal }: PodGauges, name: string, gauge: VolumeGauge, known: Known): Promise<void> {
    const { clock, events, onRead } = this.#parts;
    using deadline = new Deadline(clock, { timeoutMs: PATIENCE_MS, signal });
    const startedAtMs = clock.steady();
    try {
      const reading = await gauge.read(deadline.signal);
      if (signal.aborted) return;
      if (reading === undefined) {
        delete known.last;
        return;
      }
      known.last = toMeasurement(pod, name, reading, clock.now());
      const event = toAbnormalEvent(name, reading.condition);
      if (event !== undefined) events.record({ about: { pod }, type: 'Warning', ...event });
    } catch (error) {
      this.#fail(pod, name, known, error, signal.aborted, deadline.expired);
    } finally {
      onRead?.(gauge.source, clock.steady() - startedAtMs);
    }
  }

  /** Who does not answer is given the benefit of the doubt; an answer that refuses takes the numbers away. */
  #fail(pod: Pod, name: string, known: Known, error: unknown, isOver: boolean, isLate: boolean): void {
    if (isOver) return;
    if (!isLate && !hasCode(error, 'deadline-exceeded')) delete known.last;
    const { logger } = this.#parts;
    const fields = { pod: podRef(pod), podUid: pod.metadata.uid, volume: name };
    if (error instanceof AgentError)
      logger.debug({ file: 'volume-measurer', level: 4 }, 'cannot measure a volume', {
        ...fields,
        err: errorText(error),
      });
    else logger.error('measuring a volume failed', error, fields);
  }
}
