/**
 * One call of the fake runtime from begin to end:
 *
 *   begin → half the latency → hang? → error? → EFFECT → half the latency → lost reply? → end
 *
 * Every wait can be cut short by the caller's signal (`cancelled`), the
 * call's deadline (`deadline-exceeded`), an outage (`unavailable`) or the
 * kill of the agent. Cut before the effect, nothing happened; after it, the
 * effect stays and only the reply is lost, as with a real socket.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import { AgentError, type AgentErrorCode } from '../../src/base/errors.ts';
import { type AgentLife, never } from './agent-life.ts';
import type { RuntimeCall, RuntimeFaults } from './runtime-faults.ts';

export interface CallLogEntry extends RuntimeCall {
  readonly atMs: number;
  readonly phase: 'begin' | 'end';
  /** At the end: the code of the failure, or `bug` for anything else that was thrown. */
  readonly error?: AgentErrorCode | 'bug';
}

export interface CallWaits {
  /** Waits for `event` or until `limitMs` have passed; rejects when the call is cut short. One wait at a time. */
  until(event: Promise<unknown> | undefined, limitMs?: number): Promise<void>;
}

export interface CallPlan<T> {
  readonly call: RuntimeCall;
  readonly signal: AbortSignal | undefined;
  readonly latencyMs: number;
  /** Infinity for calls without a deadline of their own. */
  readonly deadlineMs: number;
  /** Runs at the begin; `undo` takes it back when the effect never happens. */
  readonly prepare?: () => void;
  readonly undo?: () => void;
  readonly effect: (waits: CallWaits) => T | Promise<T>;
}

export interface CallSurroundings {
  readonly clock: Clock;
  readonly faults: RuntimeFaults;
  readonly log: CallLogEntry[];
  /** Called at every outage, until disposed. */
  readonly onOutage: (listener: () => void) => Disposable;
}

/** Runs one call of the agent with this life. */
export function runCall<T>(around: CallSurroundings, life: AgentLife, plan: CallPlan<T>): Promise<T> {
  return life.alive ? life.guard(performCall(around, life, plan)) : never();
}

async function performCall<T>(around: CallSurroundings, life: AgentLife, plan: CallPlan<T>): Promise<T> {
  const { call } = plan;
  if (plan.signal?.aborted) throw failure('cancelled', call);
  note(around, call, 'begin');
  const cut = new CutShort(around, life, plan);
  let prepared = false;
  let effected = false;
  try {
    if (around.faults.down) throw failure('unavailable', call);
    plan.prepare?.();
    prepared = true;
    const fault = around.faults.apply(call);
    await cut.until(undefined, plan.latencyMs / 2 + (fault?.rule.latencyMs ?? 0));
    if (fault?.rule.hang) await cut.until(fault.released);
    if (fault?.rule.error !== undefined && !fault.rule.afterEffect) throw failure(fault.rule.error, call);
    const result = await plan.effect(cut);
    effected = true;
    await cut.until(undefined, plan.latencyMs / 2);
    if (fault?.rule.error !== undefined) throw failure(fault.rule.error, call);
    note(around, typeof result === 'string' ? { ...call, id: result } : call, 'end');
    return result;
  } catch (error) {
    if (prepared && !effected) abandon(around, life, plan);
    note(around, call, 'end', error instanceof AgentError ? error.code : 'bug');
    throw error;
  } finally {
    cut[Symbol.dispose]();
  }
}

/** A call that failed before its effect: normally nothing happened, but a cancelled one may still go through. */
function abandon<T>(around: CallSurroundings, life: AgentLife, plan: CallPlan<T>): void {
  if (!plan.signal?.aborted || life.vanished || !around.faults.completesAborted()) {
    plan.undo?.();
    return;
  }
  const unhurried: CallWaits = {
    until: (event, limitMs) => waitFor(around.clock, event, limitMs).promise,
  };
  const late = async (): Promise<T> => plan.effect(unhurried);
  late().catch(() => plan.undo?.());
}

/** The ways in which a call ends early, and waits that heed them. */
class CutShort implements CallWaits, Disposable {
  readonly #clock: Clock;
  readonly #sources: Disposable[];
  #failure: AgentError | undefined;
  #cut: ((failure: AgentError) => void) | undefined;

  constructor(around: CallSurroundings, life: AgentLife, plan: CallPlan<unknown>) {
    this.#clock = around.clock;
    const cutWith = (code: AgentErrorCode): void => this.#end(failure(code, plan.call));
    this.#sources = [
      // A dead agent's signals are a ghost's: its calls in flight end as the kill says.
      onAbort(plan.signal, () => (life.alive ? cutWith('cancelled') : undefined)),
      around.onOutage(() => cutWith('unavailable')),
      life.onKill(() => (life.vanished ? cutWith('cancelled') : undefined)),
    ];
    if (Number.isFinite(plan.deadlineMs))
      this.#sources.push(around.clock.startTimer(plan.deadlineMs, () => cutWith('deadline-exceeded')));
  }

  until(event: Promise<unknown> | undefined, limitMs?: number): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const wait = waitFor(this.#clock, event, limitMs);
    this.#cut = wait.cut;
    return wait.promise;
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources.splice(0)) source[Symbol.dispose]();
  }

  /** Every wait after the first cut fails as that one did. */
  #end(failure: AgentError): void {
    this.#failure ??= failure;
    this.#cut?.(this.#failure);
  }
}

function waitFor(
  clock: Clock,
  event: Promise<unknown> | undefined,
  limitMs = Number.POSITIVE_INFINITY,
): { readonly promise: Promise<void>; readonly cut: (error: unknown) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = Number.isFinite(limitMs) ? clock.startTimer(limitMs, resolve) : undefined;
  const cut = (error: unknown): void => {
    timer?.[Symbol.dispose]();
    reject(error);
  };
  const end = (): void => {
    timer?.[Symbol.dispose]();
    resolve();
  };
  event?.then(end, cut);
  return { promise, cut };
}

function note(
  around: CallSurroundings,
  call: RuntimeCall,
  phase: CallLogEntry['phase'],
  error?: CallLogEntry['error'],
): void {
  const atMs = around.clock.now();
  // The call first: a copy is quick, an object that is filled up before one is slow.
  around.log.push(error === undefined ? { ...call, atMs, phase } : { ...call, atMs, phase, error });
}

function failure(code: AgentErrorCode, call: RuntimeCall): AgentError {
  return new AgentError(code, `cannot ${call.op} "${call.id ?? call.podUid ?? ''}": ${code} (fake runtime)`);
}
