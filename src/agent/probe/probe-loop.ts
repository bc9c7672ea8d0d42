/**
 * Measures one probe of one container, instance after instance. At rest it is
 * one timer, or none at all while there is nothing to measure; at most one
 * run is under way.
 *
 *   resting ──follow──► waiting for a tick ──► running ──► waiting …
 *      ▲                        └── nothing to measure: no timer ──┘
 *      └──rest── the instance ended or was replaced; what runs is cut short
 *
 * Besides the ticks there are eager runs while a container comes up: their
 * success counts, their failure does not, so that nothing is killed or
 * reported earlier than the probe's own numbers say.
 *
 * Invariant: a run whose instance was replaced or left never counts.
 */
import type { Clock } from '../../base/async/clock.ts';
import type { Probe } from '../../core/api/pod.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import type { ProbeKind, ProbeOutcome } from '../../core/model/probe-results.ts';
import { type ProbeReport, toProbeEvent } from '../../core/pod/probe-request.ts';
import {
  computeEagerRun,
  computeNextTick,
  computeTickFrom,
  type ProbeTiming,
  toProbeTiming,
} from '../../core/pod/probe-schedule.ts';
import {
  type InstanceAge,
  mayMeasure,
  type ProbeState,
  toInitialState,
  toNextState,
} from '../../core/pod/probe-state.ts';
import type { ProbeTarget } from './run-probe.ts';

export interface ProbeLoopParts {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly clock: Clock;
  readonly agentStartedAtMs: number;
  readonly firstTickMs: number;
  readonly run: (probe: Probe, target: ProbeTarget, signal: AbortSignal) => Promise<ProbeReport>;
  /** What is known about an instance now; undefined when nothing is. */
  readonly publish: (target: ProbeTarget, result: ProbeOutcome | undefined, isNews: boolean) => void;
  readonly recordEvent: (target: ProbeTarget, reason: string, message: string) => void;
}

export type KnownInstance = Pick<InstanceAge, 'knownStarted' | 'knownReady'>;

export class ProbeLoop {
  readonly #parts: ProbeLoopParts;
  readonly #timing: ProbeTiming;
  /** The next tick of the series, or one in the past while nothing is measured. */
  #tickMs: number;
  #target: ProbeTarget | undefined;
  /** Of the target, as it was first followed. */
  #startedAtMs = 0;
  #state: ProbeState | undefined;
  #started = false;
  /** When the instance was first due; undefined before. */
  #dueSinceMs: number | undefined;
  /** The instance has been measured as well before: it is no longer coming up. */
  #wasUp = false;
  #timer: Disposable | undefined;
  #running: AbortController | undefined;

  constructor(parts: ProbeLoopParts) {
    this.#parts = parts;
    this.#timing = toProbeTiming(parts.probe);
    this.#tickMs = parts.firstTickMs;
  }

  /**
   * Measures this instance from now on. `started` opens and closes the gate
   * of the startup probe. A container that is not ready is probed at once
   * on each call: its pod waits for that.
   */
  follow(target: ProbeTarget, started: boolean, known: KnownInstance): void {
    const { kind, clock, agentStartedAtMs, publish } = this.#parts;
    if (target.id !== this.#target?.id) {
      this.rest();
      const { startedAtMs } = target;
      this.#startedAtMs = startedAtMs;
      this.#state = toInitialState(kind, { startedAtMs, agentStartedAtMs, ...known });
      publish(target, this.#state.result, false);
    }
    this.#target = target;
    this.#started = started;
    if (this.#running !== undefined) return;
    if (!this.#mayMeasure()) {
      this.#cancelTimer();
      return;
    }
    const leftMs = this.#startedAtMs + this.#timing.initialDelayMs - clock.now();
    this.#dueSinceMs ??= clock.steady() + Math.max(0, leftMs);
    const earliestMs = Math.max(clock.steady(), this.#dueSinceMs);
    if (this.#timer === undefined)
      this.#tickMs = computeTickFrom(this.#tickMs, this.#timing.periodMs, earliestMs);
    this.#schedule(this.#isWaitedFor() ? earliestMs : undefined);
  }

  /** Stops measuring and keeps the result: the pod ends and nothing is started for it any more. */
  pause(): void {
    this.#cancelTimer();
    this.#running?.abort();
    this.#running = undefined;
  }

  /** This instance has ended, as far as it is the one that is measured; what was found about it stays until it is replaced. */
  leave(id: ContainerId): void {
    if (this.#target?.id === id) this.pause();
  }

  /** Nothing to measure; what was found about the last instance goes with it. */
  rest(): void {
    this.pause();
    if (this.#target !== undefined) this.#parts.publish(this.#target, undefined, false);
    this.#target = undefined;
    this.#state = undefined;
    this.#dueSinceMs = undefined;
    this.#wasUp = false;
  }

  #mayMeasure(): boolean {
    return this.#state !== undefined && mayMeasure(this.#parts.kind, this.#state, this.#started);
  }

  /** True while a success would bring the pod forward. Unmeasured instances of an earlier agent are left in peace. */
  #isWaitedFor(): boolean {
    const { result } = this.#state ?? {};
    return this.#parts.kind !== 'liveness' && (result === 'failure' || result === 'unknown');
  }

  /** Waits for the next tick, or for an eager run that comes before it. */
  #schedule(eagerMs: number | undefined): void {
    this.#cancelTimer();
    const isEager = eagerMs !== undefined && eagerMs < this.#tickMs;
    const delayMs = (isEager ? eagerMs : this.#tickMs) - this.#parts.clock.steady();
    this.#timer = this.#parts.clock.startTimer(delayMs, () => void this.#measure(isEager));
  }

  #cancelTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  async #measure(isEager: boolean): Promise<void> {
    const { probe, run } = this.#parts;
    const target = this.#target;
    this.#timer = undefined;
    if (target === undefined) return;
    const running = new AbortController();
    this.#running = running;
    const report = await run(probe, target, running.signal);
    if (running.signal.aborted) return;
    this.#running = undefined;
    if (!isEager || report.outcome === 'success' || report.outcome === 'warning') this.#take(target, report);
    this.#goOn(isEager);
  }

  #goOn(wasEager: boolean): void {
    const nowMs = this.#parts.clock.steady();
    if (!wasEager) this.#tickMs = computeNextTick(this.#tickMs, this.#timing.periodMs, nowMs);
    if (!this.#mayMeasure()) return;
    // Once it has answered well, only the ticks count: a success threshold is meant in periods.
    const isComingUp = this.#isWaitedFor() && this.#state?.last !== 'success' && !this.#wasUp;
    this.#schedule(isComingUp ? computeEagerRun(this.#dueSinceMs ?? nowMs, nowMs) : undefined);
  }

  #take(target: ProbeTarget, report: ProbeReport): void {
    const { kind, publish, recordEvent } = this.#parts;
    const event = toProbeEvent(kind, report);
    if (event !== undefined) recordEvent(target, event.reason, event.message);
    if (this.#state === undefined) return;
    const before = this.#state.result;
    const measured = report.outcome === 'warning' ? 'success' : report.outcome;
    this.#state = toNextState(kind, this.#timing, this.#state, measured);
    const { result } = this.#state;
    if (result === 'success') this.#wasUp = true;
    // A live container is the default: only a failure is published.
    if (result !== before) publish(target, result, kind !== 'liveness' || result !== 'success');
  }
}
