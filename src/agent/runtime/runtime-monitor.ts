/**
 * Asks the runtime every few seconds how it is, and remembers the answer:
 * whether it is there, ready, and has a network for pods. Says so in the log
 * once per change. Node readiness and the health endpoint read it.
 */
import { sleep } from '../../base/clock.ts';
import { Emitter } from '../../base/emitter.ts';
import { errorText } from '../../base/errors.ts';
import type { RuntimeCondition, RuntimeReader, RuntimeStatus } from '../../ports/container-runtime.ts';
import type { Kit } from '../../ports/kit.ts';

const PERIOD_MS = 5_000;
/** A runtime that has not answered well for this long counts as down. */
const DOWN_AFTER_MS = 30_000;

export interface RuntimeMonitorParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly reader: RuntimeReader;
}

export class RuntimeMonitor {
  readonly name = 'runtime monitor';
  readonly #parts: RuntimeMonitorParts;
  #lastGoodMs: number | undefined;
  #status: RuntimeStatus | undefined;
  #runtimeProblem: string | undefined = 'container runtime status check may not have completed yet';
  #networkProblem: string | undefined;
  readonly #changes = new Emitter();
  #said = '';

  constructor(parts: RuntimeMonitorParts) {
    this.#parts = parts;
  }

  /** Why nothing can be run now; undefined when the runtime is ready. */
  get runtimeProblem(): string | undefined {
    const { clock } = this.#parts;
    const silent = this.#lastGoodMs !== undefined && clock.now() - this.#lastGoodMs > DOWN_AFTER_MS;
    return silent ? 'container runtime is down' : this.#runtimeProblem;
  }

  /** Why pods cannot get a network of their own; undefined when they can. */
  get networkProblem(): string | undefined {
    return this.#networkProblem;
  }

  get status(): RuntimeStatus | undefined {
    return this.#status;
  }

  /** Calls `listener` when the runtime or its network came or went. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.check(stop);
      await sleep(this.#parts.clock, PERIOD_MS, stop);
    }
  }

  /** Asks now, outside the period. Never rejects. */
  async check(stop: AbortSignal): Promise<void> {
    const { reader, clock } = this.#parts;
    try {
      const status = await reader.status({ signal: stop, label: 'runtime status' });
      this.#status = status;
      this.#networkProblem = problemOf(status, 'NetworkReady', 'container runtime network not ready');
      this.#runtimeProblem = problemOf(status, 'RuntimeReady', 'container runtime not ready');
      if (this.#runtimeProblem === undefined) this.#lastGoodMs = clock.now();
      this.#say(this.#runtimeProblem ?? this.#networkProblem ?? 'container runtime is ready');
    } catch (error) {
      if (!stop.aborted) this.#say(`container runtime does not answer: ${errorText(error)}`);
    }
  }

  #say(news: string): void {
    if (news === this.#said) return;
    this.#said = news;
    this.#parts.logger.info('runtime state changed', { state: news });
    this.#changes.emit();
  }
}

function problemOf(status: RuntimeStatus, type: string, prefix: string): string | undefined {
  const condition: RuntimeCondition | undefined = status.conditions.find(
    (candidate) => candidate.type === type,
  );
  if (condition?.status === true) return undefined;
  if (condition === undefined) return `${prefix}: <nil>`;
  const { status: value, reason = '', message = '' } = condition;
  return `${prefix}: ${type}=${value} reason:${reason} message:${message}`;
}
