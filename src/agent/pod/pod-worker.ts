/**
 * One pod, from first sight until nothing of it is left. The loop reads what
 * runs, decides, publishes the status, performs the plan, and waits for a
 * wake-up or a deadline. It is the only writer of this pod.
 *
 * Three kinds of stop: `stop` ends the agent and leaves containers alone; a termination is data in the desired
 * record; `interrupt` only cuts short the pass under way, such as a slow pull, so that the record is read again.
 */
import { toSteady } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { Action } from '../../core/model/actions.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { ContainerId, PodUid } from '../../core/model/ids.ts';
import type { ObservedPod } from '../../core/model/observed-pod.ts';
import { decidePod } from '../../core/pod/decide-pod.ts';
import type { PodFacts, PodPlan } from '../../core/pod/pod-facts.ts';
import type { AgentMeter } from '../../ports/agent-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import { describeAction } from './describe-action.ts';
import type { FactSource } from './fact-providers.ts';
import { logPerformed } from './log-performed.ts';
import { PassSignals } from './pass-signals.ts';
import type { ActionResult, PerformAction } from './perform-action.ts';
import type { PassSetback, PodActivity } from './pod-activity.ts';
import { PodMemory } from './pod-memory.ts';
import type { PodPublisher } from './pod-publisher.ts';
import { toReadFailure } from './read-failure.ts';
import { tracePass } from './trace-pass.ts';

/** After a pass that should have changed something but did not, and after a failed read. */
const PASS_RETRY: RetryPolicy = { initialMs: 1_000, maxMs: 10_000, spread: 0.5 };

export interface PodWorkerParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'random' | 'tracer'> & {
    readonly meter: Pick<AgentMeter, 'passed' | 'performed'>;
  };
  readonly readDesired: (uid: PodUid) => DesiredPod | undefined;
  readonly readPod: (uid: PodUid, signal: AbortSignal, label: string) => Promise<ObservedPod>;
  /** What features know about the pod. */
  readonly facts: Pick<FactSource, 'refresh' | 'read'>;
  readonly publisher: PodPublisher;
  readonly perform: PerformAction;
  /** The pod has run to its end by itself. */
  readonly onCompleted: (uid: PodUid) => void;
  /** The pod has been active for longer than it may. */
  readonly onPastDeadline: (record: DesiredPod) => void;
}

export class PodWorker {
  readonly uid: PodUid;
  readonly #parts: PodWorkerParts;
  readonly #mailbox: Mailbox;
  readonly #memory = new PodMemory();
  #pass: PassSignals | undefined;
  #activity: PodActivity | undefined;
  #last: { readonly facts: PodFacts; readonly plan: PodPlan } | undefined;
  /** What the last status was made of. */
  #published: { readonly facts: PodFacts; readonly messages: ReadonlyMap<ContainerId, string> } | undefined;
  #setback: PassSetback | undefined;
  #leftBehind: ObservedPod | undefined;
  #passes = 0;
  /** Reads or passes in a row that led nowhere. */
  #fruitless = 0;

  constructor(uid: PodUid, parts: PodWorkerParts) {
    this.uid = uid;
    this.#parts = parts;
    this.#mailbox = new Mailbox(parts.kit.clock);
  }

  /** The step under way; undefined while the worker waits. */
  get activity(): PodActivity | undefined {
    return this.#activity;
  }

  /** The last pass that got as far as a decision: the plan, and the facts it was made from. */
  get last(): { readonly facts: PodFacts; readonly plan: PodPlan } | undefined {
    return this.#last;
  }

  /** Set while the last pass failed as a whole, such as by a runtime that does not answer. */
  get setback(): PassSetback | undefined {
    return this.#setback;
  }

  /** Set when the pod is gone although the runtime refused to remove what it had: what that was. */
  get leftBehind(): ObservedPod | undefined {
    return this.#leftBehind;
  }

  /** Something about the pod may have changed. */
  wake(reason: string): void {
    this.#mailbox.post(reason);
  }

  /**
   * A probe found something. A step under way may take its time (a hook, a
   * pull, the grace of a container), so readiness is published meanwhile.
   */
  probed(): void {
    this.wake('probe result');
    const record = this.#parts.readDesired(this.uid);
    if (this.#activity?.action === undefined || this.#published === undefined || record === undefined) return;
    const { facts, messages } = this.#published;
    const nowMs = this.#parts.kit.clock.now();
    this.#parts.publisher.publish(record, { ...facts, nowMs }, this.#memory.waiting, messages);
  }

  /** What failed and waits for its next try is tried at once. */
  retry(): void {
    this.#memory.forgetFailures();
    this.#fruitless = 0;
    this.wake('retry requested');
  }

  /** Cuts the pass under way short; the next one starts at once. */
  interrupt(reason: string): void {
    this.#pass?.interrupt(new Error(reason));
    this.#mailbox.post(reason);
  }

  /** Works until nothing of the pod is left (`gone`) or the agent stops (`stopped`). Never rejects. */
  async run(stop: AbortSignal): Promise<'gone' | 'stopped'> {
    for (;;) {
      const startedAtMs = this.#parts.kit.clock.steady();
      const result = await tracePass(this.#parts, this, () => this.#safePass(stop));
      this.#activity = undefined;
      this.#count(startedAtMs);
      if (stop.aborted) return 'stopped';
      if (result.kind === 'gone') return 'gone';
      if (result.kind === 'again') continue;
      await this.#mailbox.wait(stop, toSteady(this.#parts.kit.clock, result.wakeAtMs));
      if (stop.aborted) return 'stopped';
    }
  }

  /** A bug or an unreachable runtime fails this pass of this pod only. */
  async #safePass(stop: AbortSignal): Promise<PassEnd> {
    using pass = new PassSignals(stop, this.#parts.kit.clock);
    this.#pass = pass;
    // What woke it until now is in what it reads next; its own steps would wake it once more.
    this.#mailbox.clear();
    try {
      return await this.#runPass(pass);
    } catch (error) {
      if (pass.signal.aborted) return { kind: 'again' };
      const level = hasCode(error, 'unavailable') ? 4 : 0;
      this.#parts.kit.logger.debug({ file: 'pod-worker', level }, 'pod pass failed, trying again', {
        podUid: this.uid,
        err: errorText(error),
      });
      const end = this.#retryLater();
      const atMs = this.#parts.kit.clock.now();
      this.#setback = { message: errorText(error), atMs, retryAtMs: end.wakeAtMs };
      return end;
    }
  }

  async #runPass(pass: PassSignals): Promise<PassEnd> {
    const { signal } = pass;
    const { kit, readDesired, publisher } = this.#parts;
    const label = this.#label();
    this.#begin('reading its state from the runtime');
    const observed = await this.#read(signal, label);
    const messages = await publisher.readMessages(observed);
    await this.#refreshFacts(observed);
    const record = readDesired(this.uid);
    if (record === undefined) return { kind: 'gone' };
    const known = this.#parts.facts.read(record, observed);
    const nowMs = kit.clock.now();
    this.#memory.forgetOtherImages(record.pod);
    this.#memory.startedAtMs ??= publisher.computeStartMs(record, observed, nowMs);
    const facts: PodFacts = {
      pod: record.pod,
      observed,
      termination: record.termination,
      nowMs,
      startedAtMs: this.#memory.startedAtMs,
      startFailures: this.#memory.startFailures,
      podFailure: this.#memory.podFailure,
      resizeFailure: this.#memory.resizeFailure,
      ...known,
    };
    const plan = decidePod(facts);
    this.#last = { facts, plan };
    this.#published = { facts, messages };
    this.#setback = undefined;
    this.#memory.noteWaiting(plan.waiting);
    publisher.publish(record, facts, this.#memory.waiting, messages);
    publisher.recordEvents(record, plan.events);
    if (record.termination === undefined) this.#askForEnd(record, plan);
    const changed = this.#memory.noticeChange(observed);
    if (plan.actions.length === 0) return plan.gone ? { kind: 'gone' } : this.#rest(plan);
    if (!changed && this.#memory.didAct) return this.#retryLater();
    using _deadline = this.#cutShortAt(plan.deadlineAtMs);
    this.#leftBehind = undefined;
    const acted = await this.#performAll(record, observed, plan.actions, pass);
    if (plan.gone && acted) return { kind: 'gone' };
    // A resize shows in its record, not in what the runtime lists.
    this.#memory.didAct = acted && plan.actions.some(({ kind }) => kind !== 'resize-pod');
    return { kind: 'again' };
  }

  /** That a runtime does not answer at all concerns the node; an answer about this pod that fails concerns its owner. */
  async #read(signal: AbortSignal, label: string): Promise<ObservedPod> {
    const { readPod, readDesired, publisher } = this.#parts;
    try {
      return await readPod(this.uid, signal, label);
    } catch (error) {
      const record = readDesired(this.uid);
      const isReported = error instanceof AgentError && error.code !== 'unavailable' && !signal.aborted;
      if (isReported && record !== undefined)
        publisher.recordEvents(record, [{ type: 'Warning', ...toReadFailure(error) }]);
      throw error;
    }
  }

  async #refreshFacts(observed: ObservedPod): Promise<void> {
    const record = this.#parts.readDesired(this.uid);
    if (record !== undefined) await this.#parts.facts.refresh(record, observed);
  }

  #askForEnd(record: DesiredPod, plan: PodPlan): void {
    const { onCompleted, onPastDeadline } = this.#parts;
    if (plan.completed) onCompleted(this.uid);
    else if (plan.pastDeadline === true) onPastDeadline(record);
  }

  /** A deadline does not wait for a slow pull or hook. */
  #cutShortAt(deadlineAtMs: number | undefined): Disposable | undefined {
    if (deadlineAtMs === undefined) return undefined;
    const { clock } = this.#parts.kit;
    return clock.startTimer(deadlineAtMs - clock.now(), () => this.interrupt('active deadline'));
  }

  #rest(plan: PodPlan): PassEnd {
    this.#fruitless = 0;
    this.#memory.didAct = false;
    return plan.wakeAtMs === undefined ? { kind: 'wait' } : { kind: 'wait', wakeAtMs: plan.wakeAtMs };
  }

  /** Performs in order until one ends the pass. True when all of them worked. */
  async #performAll(
    record: DesiredPod,
    observed: ObservedPod,
    actions: readonly Action[],
    { signal, callSignal }: PassSignals,
  ): Promise<boolean> {
    const { kit, perform } = this.#parts;
    for (const action of actions) {
      if (signal.aborted) return false;
      this.#begin(describeAction(action), action);
      const startedMs = kit.clock.steady();
      const failures = this.#memory.failures(action);
      const context = { record, observed, signal, callSignal, label: this.#label(), failures };
      const result: ActionResult = await perform(action, context);
      if (signal.aborted) return false;
      kit.meter.performed(action, result.kind === 'failed' ? result : undefined, record.pod);
      this.#memory.note(action, result, kit.clock.now());
      logPerformed(kit, record, action, result, startedMs);
      if (result.kind === 'done') continue;
      if (result.endsPass) return false;
      this.#leftBehind = observed;
    }
    return true;
  }

  #retryLater(): PassEnd & { readonly kind: 'wait'; readonly wakeAtMs: number } {
    const { clock, random } = this.#parts.kit;
    const delayMs = computeRetryDelay(PASS_RETRY, this.#fruitless++, random());
    this.#memory.didAct = false;
    return { kind: 'wait', wakeAtMs: clock.now() + delayMs };
  }

  #begin(step: string, action?: Action): void {
    const begun = { pod: this.#label(), step, sinceMs: this.#parts.kit.clock.now() };
    this.#activity = action === undefined ? begun : { ...begun, action };
  }

  #count(startedAtMs: number): void {
    const { clock, meter } = this.#parts.kit;
    const isEnding = this.#parts.readDesired(this.uid)?.termination !== undefined;
    const kind = isEnding ? 'kill' : this.#passes === 0 ? 'create' : 'sync';
    this.#passes++;
    meter.passed(this.uid, kind, clock.steady() - startedAtMs);
  }

  #label(): string {
    const pod = this.#parts.readDesired(this.uid)?.pod;
    return pod === undefined ? this.uid : podRef(pod);
  }
}

type PassEnd =
  | { readonly kind: 'gone' }
  | { readonly kind: 'again' }
  | { readonly kind: 'wait'; readonly wakeAtMs?: number };
