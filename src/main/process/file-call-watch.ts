/**
 * Makes a trivial file call every twenty seconds and says when one does not come
 * back: then every thread for file work is taken, and the agent does nothing
 * any more although it still answers.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';

const PERIOD_MS = 20_000;
const LIMIT_MS = 10_000;

export interface FileCallWatchParts {
  readonly clock: Clock;
  /** Such as a look at the root directory; fails like any file call. */
  readonly touch: () => Promise<unknown>;
}

export class FileCallWatch {
  readonly #parts: FileCallWatchParts;
  #calledAtMs: number | undefined;

  constructor(parts: FileCallWatchParts) {
    this.#parts = parts;
  }

  get check(): HealthCheck {
    return { name: 'file-calls', check: () => this.#findProblem() };
  }

  /** Until `stop` aborts; a call under way is not waited for then. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!stop.aborted) {
      if (this.#calledAtMs === undefined) void this.#call();
      await sleep(clock, PERIOD_MS, stop);
    }
  }

  async #call(): Promise<void> {
    const { clock, touch } = this.#parts;
    this.#calledAtMs = clock.steady();
    // An answer of any kind will do.
    await touch().catch(() => {});
    this.#calledAtMs = undefined;
  }

  #findProblem(): string | undefined {
    if (this.#calledAtMs === undefined) return undefined;
    const waitedMs = this.#parts.clock.steady() - this.#calledAtMs;
    if (waitedMs < LIMIT_MS) return undefined;
    const seconds = Math.floor(waitedMs / 1000);
    return `a file call has not answered for ${seconds}s: all threads for file work are taken`;
  }
}
