/** CPU and memory for the page: measured while a page is open, once for all of them. */
import { SingleFlight } from '../../base/async/single-flight.ts';
import { AgentError } from '../../base/errors.ts';
import type { TopReport } from '../../core/stats/top.ts';
import { readTop } from '../stats/top-route.ts';
import type { PageSource } from './page-source.ts';

/** Older numbers are none. */
const KEPT_MS = 60_000;
/** Fresh enough for another page. */
const FRESH_MS = 5_000;
const PATIENCE_MS = 20_000;

export class UsageSampler {
  readonly #source: Pick<PageSource, 'kit' | 'node'>;
  readonly #flight = new SingleFlight<void>();
  #last: TopReport | undefined;

  constructor(source: Pick<PageSource, 'kit' | 'node'>) {
    this.#source = source;
  }

  /** What was last measured, if that is not long ago. */
  get last(): TopReport | undefined {
    return this.#isYounger(KEPT_MS) ? this.#last : undefined;
  }

  /** Measures, unless that is under way or was done a moment ago. Never rejects: without numbers the page shows none. */
  async refresh(): Promise<void> {
    if (this.#isYounger(FRESH_MS)) return;
    await this.#flight.run('usage', () => this.#measure());
  }

  #isYounger(maxAgeMs: number): boolean {
    return this.#last !== undefined && this.#source.kit.clock.now() - this.#last.atMs < maxAgeMs;
  }

  async #measure(): Promise<void> {
    const { kit, node } = this.#source;
    try {
      this.#last = await readTop(node, kit.clock, AbortSignal.timeout(PATIENCE_MS));
    } catch (error) {
      if (error instanceof AgentError)
        kit.logger.debug({ file: 'usage-sampler', level: 2 }, 'cannot read statistics for the page', {
          err: error.message,
        });
      else kit.logger.error('statistics for the page failed', error);
    }
  }
}
