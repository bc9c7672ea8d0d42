/**
 * Asks the runtime every few seconds how it is, at once when its connection
 * is lost, and remembers the answer: whether it is there, ready, and has a
 * network for pods. Says so in the log once per change. Node readiness and the
 * health endpoint read it.
 *
 *   there ──asked, fails or silent for 3 s──► away ──answers──► there
 *
 * Away is what health and explanations show within seconds. The node is called
 * not ready only after 30 s, as upstream: a runtime that restarts is no reason
 * to move pods elsewhere.
 */
import { Emitter } from '../../base/async/emitter.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { errorText } from '../../base/errors.ts';
import type { Kit } from '../../ports/kit.ts';
import type {
  RuntimeCondition,
  RuntimeReader,
  RuntimeStatus,
} from '../../ports/runtime/container-runtime.ts';

/** While all is well: the loss of its connection wakes the monitor at once. */
const PERIOD_MS = 10_000;
/** While it says that it or its network is not ready. */
const UNREADY_PERIOD_MS = 5_000;
/** While it is away, so that its return is noticed soon. */
const AWAY_PERIOD_MS = 1_000;
/** A runtime that takes longer to say how it is counts as away. */
const PATIENCE_MS = 3_000;
/** A runtime that has not answered well for this long counts as down. */
const DOWN_AFTER_MS = 30_000;

/** A runtime that does not answer. */
export interface RuntimeAbsence {
  readonly sinceMs: number;
  readonly why: string;
}

export interface RuntimeMonitorParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly reader: Pick<RuntimeReader, 'status'>;
  /** Emits when the connection to the runtime is lost. */
  readonly losses: Pick<Emitter, 'subscribe'>;
}

export class RuntimeMonitor {
  readonly name = 'runtime monitor';
  readonly #parts: RuntimeMonitorParts;
  #lastGoodMs: number | undefined;
  #status: RuntimeStatus | undefined;
  #runtimeProblem: string | undefined = 'container runtime status check may not have completed yet';
  #networkProblem: string | undefined;
  readonly #changes = new Emitter();
  readonly #wakeUps: Mailbox;
  #absence: RuntimeAbsence | undefined;
  #said = '';

  constructor(parts: RuntimeMonitorParts) {
    this.#parts = parts;
    this.#wakeUps = new Mailbox(parts.clock);
  }

  /** Set from the first question without an answer until the runtime answers again. */
  get absence(): RuntimeAbsence | undefined {
    return this.#absence;
  }

  /** Why nothing can be run now; undefined when the runtime is ready. */
  get runtimeProblem(): string | undefined {
    // After a good answer nothing is wrong until the next question: a process that was halted heard no silence.
    const isUnwell = this.#absence !== undefined || this.#runtimeProblem !== undefined;
    if (!isUnwell || this.#lastGoodMs === undefined) return this.#runtimeProblem;
    const isDown = this.#parts.clock.steady() - this.#lastGoodMs > DOWN_AFTER_MS;
    return isDown ? 'container runtime is down' : this.#runtimeProblem;
  }

  /** Set while the last answer of the runtime was that it is not ready; silence is no such answer. */
  get refusal(): string | undefined {
    return this.#status === undefined ? undefined : this.#runtimeProblem;
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
    const { losses, clock } = this.#parts;
    using _losses = losses.subscribe(() => this.#wakeUps.post('connection lost'));
    while (!stop.aborted) {
      await this.check(stop);
      await this.#wakeUps.wait(stop, clock.steady() + this.#choosePeriod());
    }
  }

  #choosePeriod(): number {
    if (this.#absence !== undefined) return AWAY_PERIOD_MS;
    const isWell = this.#runtimeProblem === undefined && this.#networkProblem === undefined;
    return isWell ? PERIOD_MS : UNREADY_PERIOD_MS;
  }

  /** Asks now, outside the period. Never rejects. */
  async check(stop: AbortSignal): Promise<void> {
    const { reader, clock } = this.#parts;
    const askedAtMs = clock.now();
    const seconds = PATIENCE_MS / 1000;
    using _patience = clock.startTimer(PATIENCE_MS, () =>
      this.#leave(`it has not answered for ${seconds}s`, askedAtMs),
    );
    try {
      const status = await reader.status({ signal: stop, label: 'runtime status' });
      this.#status = status;
      this.#absence = undefined;
      this.#networkProblem = problemOf(status, 'NetworkReady', 'container runtime network not ready');
      this.#runtimeProblem = problemOf(status, 'RuntimeReady', 'container runtime not ready');
      if (this.#runtimeProblem === undefined) this.#lastGoodMs = clock.steady();
      this.#say(this.#runtimeProblem ?? this.#networkProblem ?? 'container runtime is ready');
    } catch (error) {
      if (!stop.aborted) this.#leave(`it does not answer: ${errorText(error)}`, clock.now());
    }
  }

  #leave(why: string, sinceMs: number): void {
    this.#absence = { sinceMs: this.#absence?.sinceMs ?? sinceMs, why };
    this.#say(`container runtime is away: ${why}`);
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
