/**
 * What goes wrong in the fake runtime. A rule picks calls and says what
 * happens to them; the first rule that matches and has uses left applies.
 * Chances are drawn from the seed, so a run repeats exactly.
 */
import type { AgentErrorCode } from '../../src/base/errors.ts';
import type { PodUid } from '../../src/core/model/ids.ts';
import type { ContainerRuntime, RuntimeReader } from '../../src/ports/runtime/container-runtime.ts';
import type { ImageService } from '../../src/ports/runtime/image-service.ts';
import type { SeededRandom } from './seeded-random.ts';

export type RuntimeOperation = keyof ContainerRuntime | keyof RuntimeReader | keyof ImageService;

/** One call as rules and the log see it. */
export interface RuntimeCall {
  readonly op: RuntimeOperation;
  readonly podUid?: PodUid;
  /** The sandbox, container or image the call is about. */
  readonly id?: string;
  readonly containerName?: string;
}

export interface FaultRule {
  /** All of these must match; absent matches everything. */
  readonly op?: RuntimeOperation | readonly RuntimeOperation[];
  readonly podUid?: string;
  readonly containerName?: string;
  readonly when?: (call: RuntimeCall) => boolean;
  /** How often the rule applies before it is used up; absent means always. */
  readonly times?: number;
  /** The probability that a matching call is hit; absent means 1. */
  readonly chance?: number;
  /** Added to the normal latency. */
  readonly latencyMs?: number;
  /** The call waits until the handle is released, it is aborted, or its deadline. */
  readonly hang?: boolean;
  /** The call fails so, before its effect, or after it with `afterEffect`: the reply is lost. */
  readonly error?: AgentErrorCode;
  readonly afterEffect?: boolean;
}

/** A rule in force. */
export interface FaultHandle extends Disposable {
  /** How many calls it has hit. */
  readonly hits: number;
  /** Ends the rule; calls that hang in it go on. Same as dispose. */
  release(): void;
}

export interface AppliedFault {
  readonly rule: FaultRule;
  /** Resolves when the rule is released. */
  readonly released: Promise<void>;
}

class ActiveRule implements FaultHandle {
  hits = 0;
  readonly rule: FaultRule;
  readonly #released = Promise.withResolvers<void>();
  readonly #remove: (rule: ActiveRule) => void;

  constructor(rule: FaultRule, remove: (rule: ActiveRule) => void) {
    this.rule = rule;
    this.#remove = remove;
  }

  get released(): Promise<void> {
    return this.#released.promise;
  }

  release(): void {
    this.#remove(this);
    this.#released.resolve();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

export class RuntimeFaults {
  /** The probability that an event is not delivered. */
  lostEventChance = 0;
  /** The probability that a call cancelled by its caller takes effect all the same. */
  abortedEffectChance = 0;
  /** While true every call fails as `unavailable`; containers run on. Set by restartRuntime too. */
  down = false;
  readonly #random: SeededRandom;
  readonly #rules = new Set<ActiveRule>();

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Puts a rule in force, after those that are there. */
  add(rule: FaultRule): FaultHandle {
    const active = new ActiveRule(rule, (ended) => this.#rules.delete(ended));
    this.#rules.add(active);
    return active;
  }

  /** Faults cease: every rule ends, hanging calls go on, nothing is lost any more. */
  clear(): void {
    for (const active of [...this.#rules]) active.release();
    this.lostEventChance = 0;
    this.abortedEffectChance = 0;
    this.down = false;
  }

  /** The fault that hits this call, if any; counts as a use of its rule. */
  apply(call: RuntimeCall): AppliedFault | undefined {
    for (const active of this.#rules) {
      const { rule } = active;
      if (active.hits >= (rule.times ?? Number.POSITIVE_INFINITY) || !matches(rule, call)) continue;
      if (rule.chance !== undefined && !this.#random.chance(rule.chance)) continue;
      active.hits++;
      return { rule, released: active.released };
    }
    return undefined;
  }

  losesEvent(): boolean {
    return this.lostEventChance > 0 && this.#random.chance(this.lostEventChance);
  }

  completesAborted(): boolean {
    return this.abortedEffectChance > 0 && this.#random.chance(this.abortedEffectChance);
  }
}

function matches(rule: FaultRule, call: RuntimeCall): boolean {
  const ops: readonly RuntimeOperation[] | undefined = typeof rule.op === 'string' ? [rule.op] : rule.op;
  return (
    (ops?.includes(call.op) ?? true) &&
    (rule.podUid === undefined || rule.podUid === call.podUid) &&
    (rule.containerName === undefined || rule.containerName === call.containerName) &&
    (rule.when?.(call) ?? true)
  );
}
