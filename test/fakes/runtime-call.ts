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
  /** Waits for `event` or until `limitMs` have passed; rejects when the call is cut short. */
  until(event: Promise<unknown>, limitMs?: number): Promise<void>;
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
export async function runCall<T>(around: CallSurroundings, life: AgentLife, plan: CallPlan<T>): Promise<T> {
  if (!life.alive) return never();
  return life.guard(performCall(around, life, plan));
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
    await cut.until(never(), plan.latencyMs / 2 + (fault?.rule.latencyMs ?? 0));
    if (fault?.rule.hang) await cut.until(fault.released);
    if (fault?.rule.error !== undefined && !fault.rule.afterEffect) throw failure(fault.rule.error, call);
    const result = await plan.effect(cut);
    effected = true;
    await cut.until(never(), plan.latencyMs / 2);
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
    until: (event, limitMs) => waitFor(around.clock, [event], limitMs),
  };
  const late = async (): Promise<T> => plan.effect(unhurried);
  late().catch(() => plan.undo?.());
}

/** The ways in which a call ends early, and waits that heed them. */
class CutShort implements CallWaits, Disposable {
  readonly #clock: Clock;
  readonly #cut = Promise.withResolvers<never>();
  readonly #sources: Disposable[] = [];

  constructor(around: CallSurroundings, life: AgentLife, plan: CallPlan<unknown>) {
    this.#clock = around.clock;
    // There may be no waiter when it happens; the next one gets the rejection.
    this.#cut.promise.catch(() => {});
    const cutWith = (code: AgentErrorCode) => (): void => this.#cut.reject(failure(code, plan.call));
    // A dead agent's signals are a ghost's: its calls in flight end as the kill says.
    const onSignal = (): void => (life.alive ? cutWith('cancelled')() : undefined);
    this.#sources.push(
      onAbort(plan.signal, onSignal),
      around.onOutage(cutWith('unavailable')),
      life.onKill(() => (life.vanished ? cutWith('cancelled')() : undefined)),
    );
    if (Number.isFinite(plan.deadlineMs))
      this.#sources.push(around.clock.startTimer(plan.deadlineMs, cutWith('deadline-exceeded')));
  }

  until(event: Promise<unknown>, limitMs?: number): Promise<void> {
    return waitFor(this.#clock, [this.#cut.promise, event], limitMs);
  }

  [Symbol.dispose](): void {
    for (const source of this.#sources.splice(0)) source[Symbol.dispose]();
  }
}

async function waitFor(
  clock: Clock,
  events: Promise<unknown>[],
  limitMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const passed = Promise.withResolvers<void>();
  const timer = Number.isFinite(limitMs) ? clock.startTimer(limitMs, passed.resolve) : undefined;
  try {
    await Promise.race([...events, passed.promise]);
  } finally {
    timer?.[Symbol.dispose]();
  }
}

function note(
  around: CallSurroundings,
  call: RuntimeCall,
  phase: CallLogEntry['phase'],
  error?: CallLogEntry['error'],
): void {
  around.log.push({ atMs: around.clock.now(), ...call, phase, ...(error === undefined ? {} : { error }) });
}

function failure(code: AgentErrorCode, call: RuntimeCall): AgentError {
  return new AgentError(code, `cannot ${call.op} "${call.id ?? call.podUid ?? ''}": ${code} (fake runtime)`);
}
