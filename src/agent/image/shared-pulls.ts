/**
 * Pulls under way. One image is pulled once at a time for all who show the
 * same credentials; how many different pulls at a time, and how many may begin
 * in a second, is configured. The last waiter to give up cancels the pull.
 *
 * Invariant: no pod gets an image through a pull with credentials that are not
 * also its own.
 */
import { abortable } from '../../base/async/abortable.ts';
import type { Clock } from '../../base/async/clock.ts';
import { Gate } from '../../base/async/gate.ts';
import { TokenBucket, type TokenRate } from '../../base/async/token-bucket.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { type PullCredential, toRegistryCredential } from '../../core/image/registry-credential.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import { computeCredentialHash } from './image-credentials.ts';

export interface PullLimits {
  /** Pulls at a time; 1 is the serial mode, Infinity no limit. */
  readonly maxParallelPulls: number;
  readonly pullsPerSecond: number;
  readonly burst: number;
}

export interface SharedPullsParts {
  readonly images: Pick<ImageService, 'pullImage'>;
  readonly clock: Clock;
  readonly limits: PullLimits;
}

export interface PullQuestion {
  /** As the runtime is to get it. */
  readonly image: string;
  /** To try in this order; without any the pull is anonymous. */
  readonly credentials: readonly PullCredential[];
  readonly sandboxConfig: SandboxConfig;
  readonly runtimeHandler?: string;
  readonly label: string;
  readonly signal: AbortSignal;
  /** Called when the runtime begins, or has begun, to pull: who gives up before has changed nothing. */
  readonly onAsked?: () => void;
}

export interface PullAnswer {
  readonly imageId: string;
  /** Which of the credentials it was; undefined for an anonymous pull. */
  readonly credentialIndex: number | undefined;
  readonly startedMs: number;
}

export type PullState = 'queued' | 'pulling';

interface Pull {
  readonly image: string;
  readonly result: Promise<PullAnswer>;
  readonly abort: AbortController;
  state: PullState;
  waiters: number;
  /** Called when its turn has come. */
  readonly onAsked: (() => void)[];
}

export class SharedPulls {
  readonly #parts: SharedPullsParts;
  readonly #gate: Gate;
  readonly #rate: TokenBucket;
  readonly #pulls = new Map<string, Pull>();

  constructor(parts: SharedPullsParts) {
    this.#parts = parts;
    const { limits } = parts;
    const { maxParallelPulls } = limits;
    this.#gate = new Gate(Number.isFinite(maxParallelPulls) ? maxParallelPulls : Number.MAX_SAFE_INTEGER);
    this.#rate = new TokenBucket(toRate(limits), parts.clock.steady());
  }

  /** The state of the pull of an image at this moment, for any pod. */
  stateOf(image: string): PullState | undefined {
    const states = [...this.#pulls.values()].flatMap((pull) => (pull.image === image ? [pull.state] : []));
    return states.includes('pulling') ? 'pulling' : states[0];
  }

  /** Joins the same pull under way, or starts one. Rejects as the runtime does, or with the signal's reason. */
  async pull(question: PullQuestion): Promise<PullAnswer> {
    const { signal } = question;
    // An event that has passed is not heard: the pull would hold the pod until its end.
    signal.throwIfAborted();
    const key = JSON.stringify([
      question.image,
      question.runtimeHandler,
      question.credentials.map(computeCredentialHash),
    ]);
    const pull = this.#pulls.get(key) ?? this.#start(question, key);
    pull.waiters++;
    if (pull.state === 'pulling') question.onAsked?.();
    else if (question.onAsked !== undefined) pull.onAsked.push(question.onAsked);
    try {
      return await abortable(pull.result, signal);
    } finally {
      if (--pull.waiters === 0) {
        // A later caller starts a new pull instead of sharing the cancellation.
        this.#release(key, pull);
        pull.abort.abort(new Error('all waiters of this pull gave up'));
      }
    }
  }

  #start(question: PullQuestion, key: string): Pull {
    const { image } = question;
    const abort = new AbortController();
    const work = async (): Promise<PullAnswer> => {
      if (!this.#rate.tryTake(this.#parts.clock.steady()))
        throw new AgentError('resource-exhausted', 'pull QPS exceeded');
      pull.state = 'pulling';
      for (const onAsked of pull.onAsked) onAsked();
      return this.#tryEach(question, abort.signal);
    };
    const result = this.#gate.run(0, abort.signal, work).finally(() => this.#release(key, pull));
    result.catch(() => {});
    const pull: Pull = { image, result, abort, state: 'queued', waiters: 0, onAsked: [] };
    this.#pulls.set(key, pull);
    return pull;
  }

  async #tryEach(question: PullQuestion, signal: AbortSignal): Promise<PullAnswer> {
    const { images, clock } = this.#parts;
    const { image, credentials, sandboxConfig, runtimeHandler = '', label } = question;
    const startedMs = clock.steady();
    const options = { signal, sandboxConfig, runtimeHandler, label };
    if (credentials.length === 0)
      return { imageId: await images.pullImage(image, options), credentialIndex: undefined, startedMs };
    const errors: unknown[] = [];
    for (const [credentialIndex, one] of credentials.entries()) {
      try {
        const credential = toRegistryCredential(one);
        const imageId = await images.pullImage(image, { ...options, credential });
        return { imageId, credentialIndex, startedMs };
      } catch (error) {
        if (signal.aborted) throw error;
        errors.push(error);
      }
    }
    throw aggregate(errors);
  }

  #release(key: string, pull: Pull): void {
    if (this.#pulls.get(key) === pull) this.#pulls.delete(key);
  }
}

/** One text for all, without repetitions. */
function aggregate(errors: readonly unknown[]): unknown {
  const texts = [...new Set(errors.map(errorText))];
  const last = errors.at(-1);
  if (texts.length === 1) return last;
  const code = last instanceof AgentError ? last.code : 'unknown';
  return new AgentError(code, `[${texts.join(', ')}]`, { cause: last });
}

/** A reload may change the limits. */
function toRate(limits: PullLimits): TokenRate {
  return {
    get perSecond() {
      return limits.pullsPerSecond;
    },
    get burst() {
      return limits.burst;
    },
  };
}
