/**
 * Names file systems that do not answer: one log line when the agent gives up
 * waiting, one when it gets an answer after all, and a sentence for the health
 * output. It is no reason to restart the agent: all that lies elsewhere goes on.
 * An agent that ends does not wait for them either.
 */
import type { SilentStorage } from '../../adapters/linux/storage/storage-calls.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import type { Logger } from '../../base/log.ts';
import type { HealthCheck } from '../../server/health/health-check.ts';

/** A server that answers does so in this time. */
const LAST_WAIT_MS = 1_000;

export interface SilentStorageWatchParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly calls: {
    readonly silent: readonly SilentStorage[];
    readonly underWayAtServers: number;
    onChange(listener: () => void): Disposable;
    abandon(): void;
  };
}

export class SilentStorageWatch {
  readonly #parts: SilentStorageWatchParts;
  #known: ReadonlySet<string> = new Set();

  constructor(parts: SilentStorageWatchParts) {
    this.#parts = parts;
  }

  get check(): HealthCheck {
    return { name: 'storage-calls', check: () => this.#describe() };
  }

  /** Logs until `stop` aborts; what is then still under way at servers is waited for a moment longer. */
  async run(stop: AbortSignal): Promise<void> {
    const { calls, clock } = this.#parts;
    const listening = calls.onChange(() => this.#log());
    await whenAborted(stop);
    listening[Symbol.dispose]();
    if (calls.underWayAtServers === 0) return;
    await sleep(clock, LAST_WAIT_MS);
    calls.abandon();
  }

  #log(): void {
    const { logger, calls } = this.#parts;
    const silent = new Set(calls.silent.map(({ name }) => name));
    for (const name of silent)
      if (!this.#known.has(name)) logger.warn('file system does not answer', { fileSystem: name });
    for (const name of this.#known)
      if (!silent.has(name)) logger.info('file system answers again', { fileSystem: name });
    this.#known = silent;
  }

  #describe(): string | undefined {
    const { calls, clock } = this.#parts;
    const sentences = calls.silent.map(({ name, calls: count, sinceMs }) => {
      const seconds = Math.round((clock.steady() - sinceMs) / 1000);
      return `file system ${name} has not answered for ${seconds}s: ${count} file call${count === 1 ? '' : 's'}`;
    });
    return sentences.length === 0 ? undefined : sentences.join('; ');
  }
}
