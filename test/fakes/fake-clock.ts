/**
 * Virtual time. Nothing moves until a test advances it; before and after each
 * timer all promise reactions run to their end, so what follows from one
 * timer is complete before the next one fires.
 *
 * The wall clock may be set (`setBy`); steady time and timers do not notice. Steady time counts from another moment, so
 * that code which compares the two fails.
 *
 * Timers fire in order of time. Ties are in order of arrival, or in an order
 * drawn from `seed` when one is given, to show code that leans on luck.
 */
import { nextTick } from 'node:process';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import type { Clock } from '../../src/base/async/clock.ts';
import type { AgentLife } from './agent-life.ts';
import { SeededRandom } from './seeded-random.ts';

export interface FakeClockOptions {
  readonly startMs?: number;
  readonly seed?: number;
  /** Event loop turns per settling: one per `setImmediate` the code under test chains. */
  readonly turns?: number;
  /** The code under test waits for nothing real: then a turn need not pass through the event loop. */
  readonly pure?: boolean;
}

class Timer implements Disposable {
  readonly atMs: number;
  readonly tie: number;
  readonly order: number;
  readonly run: () => void;
  readonly #cancel: (timer: Timer) => void;

  constructor(place: Pick<Timer, 'atMs' | 'tie' | 'order'>, run: () => void, cancel: (timer: Timer) => void) {
    this.atMs = place.atMs;
    this.tie = place.tie;
    this.order = place.order;
    this.run = run;
    this.#cancel = cancel;
  }

  [Symbol.dispose](): void {
    this.#cancel(this);
  }
}

/** 2026-01-02T03:04:05Z: any fixed time that is easy to recognise. */
const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

const STEADY_START_MS = 1_000_000;

/** A pure clock lets the event loop turn this seldom, for what the engine does between turns. */
const PURE_TURNS = 64;

/** So many timers without any time passing are a loop that spins, not work. */
const SPIN_LIMIT = 20_000;

export class FakeClock implements Clock {
  #steadyMs = STEADY_START_MS;
  /** Wall time less steady time. */
  #aheadMs: number;
  #order = 0;
  #firedInPlace = 0;
  readonly #ties: SeededRandom | undefined;
  readonly #turns: number;
  readonly #pure: boolean;
  #settled = 0;
  /** Sorted, next first. */
  readonly #timers: Timer[] = [];

  constructor(options: FakeClockOptions = {}) {
    this.#aheadMs = (options.startMs ?? START_MS) - STEADY_START_MS;
    this.#ties = options.seed === undefined ? undefined : new SeededRandom(options.seed);
    this.#turns = options.turns ?? 1;
    this.#pure = options.pure ?? false;
  }

  now(): number {
    return this.#steadyMs + this.#aheadMs;
  }

  steady(): number {
    return this.#steadyMs;
  }

  /** Sets the wall clock ahead, or back where the number is negative. */
  setBy(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Timers that have neither fired nor been disposed: the leak check at the end of a test. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /** When the next timer fires, in wall time, or undefined when nothing is planned. */
  get nextTimerAtMs(): number | undefined {
    const [next] = this.#timers;
    return next && next.atMs + this.#aheadMs;
  }

  startTimer(delayMs: number, run: () => void): Disposable {
    if (Number.isNaN(delayMs)) throw new Error('a timer needs a delay');
    const atMs = this.#steadyMs + Math.max(0, delayMs);
    const place = { atMs, tie: this.#ties?.next() ?? 0, order: this.#order++ };
    const timer = new Timer(place, run, this.#cancel);
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return timer;
  }

  /** A clock whose timers die with `life`. */
  forLife(life: AgentLife): LifeClock {
    return new LifeClock(this, life);
  }

  /** Lets everything run that needs no time to pass. */
  settle(): Promise<void> {
    // A tick, as a turn of the event loop, comes only when no promise reaction is left.
    const isTick = this.#pure && ++this.#settled % PURE_TURNS > 0;
    const next = isTick ? nextTick : setImmediate;
    return this.#turns === 1 ? turnOnce(next) : this.#turnOften(next);
  }

  async #turnOften(next: typeof setImmediate | typeof nextTick): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn++) await turnOnce(next);
  }

  /** Passes `ms` of time, firing every timer that falls due, also those started on the way. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#steadyMs + ms;
    await this.settle();
    while (this.#nextIsDueBy(endMs)) await this.advanceToNextTimer();
    this.#steadyMs = endMs;
  }

  /** Jumps to the next timer and fires it alone; false when nothing is planned. */
  async advanceToNextTimer(): Promise<boolean> {
    await this.settle();
    return this.fireNextTimer();
  }

  /** The same for a caller that has settled: nothing was started since. */
  async fireNextTimer(): Promise<boolean> {
    const timer = this.#timers.shift();
    if (timer === undefined) return false;
    this.#firedInPlace = timer.atMs > this.#steadyMs ? 0 : this.#firedInPlace + 1;
    if (this.#firedInPlace > SPIN_LIMIT)
      throw new Error(`time stands still: ${SPIN_LIMIT} timers in one moment`);
    this.#steadyMs = timer.atMs;
    timer.run();
    await this.settle();
    return true;
  }

  /**
   * Fires timers until `condition` holds. Rejects when `limitMs` pass first,
   * or when no timer is left that could make it hold.
   */
  async runUntil(condition: () => boolean, limitMs: number, what = 'the condition'): Promise<void> {
    const endMs = this.#steadyMs + limitMs;
    await this.settle();
    while (!condition()) {
      if (!this.#nextIsDueBy(endMs)) {
        const why = this.#timers.length === 0 ? 'nothing is planned any more' : `after ${limitMs} ms`;
        throw new Error(`${what} does not hold: ${why}`);
      }
      await this.advanceToNextTimer();
    }
  }

  /** Runs virtual time until `work` settles and returns its result; same limits as runUntil. */
  async finish<T>(work: Promise<T>, limitMs = 3_600_000): Promise<T> {
    let settled = false;
    const mark = (): void => {
      settled = true;
    };
    work.then(mark, mark);
    await this.runUntil(() => settled, limitMs, 'the end of the call');
    return work;
  }

  #nextIsDueBy(endMs: number): boolean {
    return (this.#timers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= endMs && this.#timers.length > 0;
  }

  readonly #cancel = (timer: Timer): void => {
    const place = this.#placeOf(timer);
    if (this.#timers[place] === timer) this.#timers.splice(place, 1);
  };

  /** Where the timer is or belongs, by binary search. */
  #placeOf(timer: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTimers(this.#timers[middle] as Timer, timer) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * The time of one life of the agent, and the timers that it has open. As in a process, steady time begins with the life,
 * and wall time does not go back when the clock is set back.
 */
export class LifeClock implements Clock {
  readonly #clock: FakeClock;
  readonly #wall: SystemClock;
  readonly #bornMs: number;
  readonly #life: AgentLife;
  readonly #open = new Set<Disposable>();

  constructor(clock: FakeClock, life: AgentLife) {
    this.#clock = clock;
    this.#bornMs = clock.steady();
    this.#wall = new SystemClock({ wall: () => clock.now(), steady: () => clock.steady() });
    this.#life = life;
    life.onKill(() => {
      for (const timer of this.#open) timer[Symbol.dispose]();
    });
  }

  get pendingTimers(): number {
    return this.#open.size;
  }

  now(): number {
    return this.#wall.now();
  }

  steady(): number {
    return Math.floor(this.#clock.steady() - this.#bornMs);
  }

  startTimer(delayMs: number, run: () => void): Disposable {
    if (!this.#life.alive) return NOTHING;
    const timer = this.#clock.startTimer(delayMs, () => {
      this.#open.delete(open);
      run();
    });
    const open = new LifeTimer(timer, this.#open);
    this.#open.add(open);
    return open;
  }
}

const NOTHING: Disposable = { [Symbol.dispose]: () => {} };

class LifeTimer implements Disposable {
  readonly #timer: Disposable;
  readonly #open: Set<Disposable>;

  constructor(timer: Disposable, open: Set<Disposable>) {
    this.#timer = timer;
    this.#open = open;
  }

  [Symbol.dispose](): void {
    this.#open.delete(this);
    this.#timer[Symbol.dispose]();
  }
}

function turnOnce(next: typeof setImmediate | typeof nextTick): Promise<void> {
  return new Promise((resolve) => next(resolve));
}

function compareTimers(a: Timer, b: Timer): number {
  return a.atMs - b.atMs || a.tie - b.tie || a.order - b.order;
}
