/**
 * Time as a port: everything that waits or reads the time is given a Clock,
 * so that tests run on virtual time.
 *
 * Wall time is for what is stored, shown or compared with times of others; the
 * clock of a machine may be set, and wall time jumps with it. How long
 * something takes or may take, also a deadline of this process, is counted in
 * steady time, which no one sets. The two are never compared.
 */
import { onAbort } from './on-abort.ts';

export interface Clock {
  /** Wall time: milliseconds since the epoch. */
  now(): number;
  /** Steady time: milliseconds since a moment that only this process knows. */
  steady(): number;
  /**
   * Calls `run` once after `delayMs`, never before startTimer returned; a
   * negative delay counts as 0, an infinite one never ends. Disposing the
   * result cancels; after `run` it does nothing.
   */
  startTimer(delayMs: number, run: () => void): Disposable;
}

/** For what only waits and counts. */
export type SteadyClock = Pick<Clock, 'steady' | 'startTimer'>;

/** When a wall time comes as the clock is set now, in steady time: plans for a pod are made in the times of others. */
export function toSteady(clock: Clock, wallMs: number | undefined): number | undefined {
  return wallMs === undefined ? undefined : clock.steady() + wallMs - clock.now();
}

/** A steady time as the clock is set now, in wall time: to be shown. */
export function toWall(clock: Pick<Clock, 'now' | 'steady'>, steadyMs: number): number {
  return clock.now() + steadyMs - clock.steady();
}

/** A clock that is set ahead is noticed so soon. */
const LOOK_MS = 300_000;

/**
 * Calls `run` once when a wall time has come, such as the end of what others issued: also when the clock is set ahead
 * meanwhile, then within five minutes. Disposing the result cancels.
 */
export function startTimerAt(clock: Clock, wallMs: number, run: () => void): Disposable {
  let timer: Disposable;
  const wait = (): void => {
    const leftMs = wallMs - clock.now();
    const isLong = Number.isFinite(leftMs) && leftMs > LOOK_MS;
    timer = isLong ? clock.startTimer(LOOK_MS, wait) : clock.startTimer(leftMs, run);
  };
  wait();
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/**
 * Resolves after `delayMs`, or at once when `signal` aborts; the caller checks
 * the signal to learn which. Never rejects: being stopped is not an error.
 */
export function sleep(clock: SteadyClock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return waitForTimer((end) => clock.startTimer(delayMs, end), signal);
}

/** The same until a wall time, as {@link startTimerAt} has it. */
export function sleepUntil(clock: Clock, wallMs: number, signal?: AbortSignal): Promise<void> {
  return waitForTimer((end) => startTimerAt(clock, wallMs, end), signal);
}

function waitForTimer(
  start: (end: () => void) => Disposable,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      timer[Symbol.dispose]();
      listening[Symbol.dispose]();
      resolve();
    };
    const timer = start(end);
    const listening = onAbort(signal, end);
  });
}
