/**
 * Keeps the node object current: registers it, then computes its status when
 * something changed and at the configured frequency, and writes it when it
 * differs or when the next report is due. One loop is the
 * only writer.
 *
 *   register ─► report ─► rest until a wake-up, the next period or, while the
 *                 ▲        node is not ready yet, the next quick look ─┐
 *                 └────────────────────────────────────────────────────┘
 *
 * A node that is deleted under the agent is not registered again: its
 * deletion was intended. Reporting goes on if an administrator creates it again.
 */
import { BoundedWaitCache } from '../../base/async/bounded-wait-cache.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import type { Node } from '../../core/api/node.ts';
import type { EventText } from '../../core/model/event-text.ts';
import { listProblems } from '../../core/node-status/node-conditions.ts';
import { computeNodePatch, hasNodeChanged } from '../../core/node-status/node-patch.ts';
import { isReportDue, type ReportMemory, toReportMemory } from '../../core/node-status/node-report.ts';
import { computeNodeStatus, isNodeReady, toStatusEvent } from '../../core/node-status/node-status.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import type { ApiCallOptions, ApiServer } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';
import type { NodeFactReader } from './node-fact-reader.ts';
import type { NodeRegistration } from './node-registration.ts';
import type { OwnNode } from './own-node.ts';
import { recordStart } from './start-events.ts';

const TRIES = 5;
const JITTER = 0.04;
const QUICK_LOOK_MS = 100;
/** How long after the start quick looks are worth their cost. */
const QUICK_LOOKS_FOR_MS = 120_000;
const PATIENCE_MS = 1_000;

export interface NodeReporterTiming {
  readonly updatePeriodMs: number;
  readonly reportPeriodMs: number;
  /** Of one call. */
  readonly timeoutMs: number;
}

/** What else happens with a report. */
export interface NodeReporterHooks {
  /** Asks the runtime how it is, outside its turn: used while the node comes up. */
  readonly checkRuntime?: (signal: AbortSignal) => Promise<void>;
  /** Sends the runtime the pod networks of this node, joined with commas. */
  readonly applyPodCidrs?: (podCidrs: string, signal: AbortSignal) => Promise<void>;
  /** After every report: the volumes that the API server knows to be in use here. */
  readonly onVolumesReported?: (names: readonly string[]) => void;
  /** The warnings about the machine, recorded once as events. */
  readonly readWarnings?: () => Promise<readonly EventText[]>;
  /** Writes fail again and again: the connection may be a dead one. */
  readonly onRepeatedFailure?: ((error: unknown) => void) | undefined;
}

export interface NodeReporterParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'random' | 'events'>;
  readonly api: Pick<ApiServer, 'get' | 'patch'>;
  readonly nodeName: string;
  /** Its `run` is called elsewhere. */
  readonly own: OwnNode;
  readonly facts: Pick<NodeFactReader, 'read' | 'readProblems'>;
  /** Undefined when the node is not to register itself. */
  readonly registration: Pick<NodeRegistration, 'run'> | undefined;
  readonly timing: NodeReporterTiming;
  readonly hooks: NodeReporterHooks;
}

export class NodeReporter {
  readonly #parts: NodeReporterParts;
  readonly #mailbox: Mailbox;
  readonly #runtimeCheck: BoundedWaitCache<void>;
  #memory: ReportMemory | undefined;
  /** Those sent to the runtime, and those last seen in the node. */
  #podCidrs = '';
  #seenPodCidrs = '';
  #unschedulable = false;
  #rebootRecorded = false;
  /** What is wrong with reporting, to say it once. */
  #said = '';
  #quickUntilMs = 0;

  constructor(parts: NodeReporterParts) {
    const { clock } = parts.kit;
    const { checkRuntime } = parts.hooks;
    this.#parts = parts;
    this.#mailbox = new Mailbox(clock);
    this.#runtimeCheck = new BoundedWaitCache({
      clock,
      maxAgeMs: 0,
      patienceMs: PATIENCE_MS,
      read: async (stop) => checkRuntime?.(stop),
      onError: () => {},
    });
  }

  /** Something the status is computed from has changed. */
  wake(reason: string): void {
    this.#mailbox.post(reason);
  }

  async run(stop: AbortSignal): Promise<void> {
    const { kit, own, hooks } = this.#parts;
    recordStart(kit.events);
    this.#recordEvents((await hooks.readWarnings?.()) ?? []);
    this.#quickUntilMs = kit.clock.steady() + QUICK_LOOKS_FOR_MS;
    await this.#runtimeCheck.get(stop);
    await this.#register(stop);
    const subscription = own.subscribe(() => this.#noteSpec(own.current));
    while (!stop.aborted) {
      await this.#sync(stop);
      await this.#rest(stop);
    }
    subscription[Symbol.dispose]();
  }

  async #register(stop: AbortSignal): Promise<void> {
    const { kit, own, registration, timing } = this.#parts;
    const { clock, random } = kit;
    const registered = await registration?.run(stop);
    if (registered === undefined) return;
    own.remember(registered.node);
    // A new node came with its status.
    if (registered.created)
      this.#memory = toReportMemory(undefined, true, timing.reportPeriodMs, clock.steady(), random());
    this.#recordEvents(registered.events);
  }

  /** Until the next report is to be made. */
  async #rest(stop: AbortSignal): Promise<void> {
    const { kit, facts, timing } = this.#parts;
    const { clock, random } = kit;
    const dueMs = clock.steady() + timing.updatePeriodMs * (1 + random() * JITTER);
    while (!stop.aborted) {
      const isQuick = this.#isComingUp();
      const untilMs = isQuick ? Math.min(dueMs, clock.steady() + QUICK_LOOK_MS) : dueMs;
      const wake = await this.#mailbox.wait(stop, untilMs);
      if (wake.kind !== 'deadline' || clock.steady() >= dueMs) return;
      await this.#runtimeCheck.get(stop);
      if (listProblems(facts.readProblems()).length === 0) return;
    }
  }

  #isComingUp(): boolean {
    const { kit, own } = this.#parts;
    const { clock, logger } = kit;
    if (this.#quickUntilMs === 0 || own.current === undefined) return false;
    const isReady = isNodeReady(own.current);
    if (!isReady && clock.steady() < this.#quickUntilMs) return true;
    this.#quickUntilMs = 0;
    if (!isReady) logger.warn('Node not becoming ready in time after startup');
    return false;
  }

  async #sync(stop: AbortSignal): Promise<void> {
    const { kit, own, hooks } = this.#parts;
    let failure: unknown;
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      try {
        if (attempt > 1 || own.current === undefined) own.remember(await this.#readNode(stop));
        if (own.current === undefined) {
          this.#say('there is no node object');
          return;
        }
        await this.#report(own.current, stop);
        return;
      } catch (error) {
        if (stop.aborted) return;
        failure = error;
        if (attempt > 1) hooks.onRepeatedFailure?.(error);
      }
    }
    kit.logger.error('update node status exceeds retry count', failure, { tries: TRIES });
  }

  #readNode(stop: AbortSignal): Promise<Node | undefined> {
    const { api, nodeName } = this.#parts;
    return api.get<Node>({ resource: NODES, name: nodeName }, this.#options(stop));
  }

  async #report(current: Node, stop: AbortSignal): Promise<void> {
    const { kit, facts, own, timing, hooks } = this.#parts;
    const { clock, random } = kit;
    const { reportPeriodMs } = timing;
    const hasNewNetwork = await this.#applyPodCidrs(current, stop);
    const found = await facts.read(stop);
    if (stop.aborted) return;
    const { node, events, problems } = computeNodeStatus(current, found, clock.now());
    this.#say(problems.join('; '));
    const changed = hasNewNetwork || hasNodeChanged(current, node);
    if (isReportDue(this.#memory, changed, reportPeriodMs, clock.steady())) {
      await this.#write(current, node, stop);
      this.#memory = toReportMemory(this.#memory, changed, reportPeriodMs, clock.steady(), random());
      this.#recordEvents(events);
    }
    this.#noteSpec(own.current);
    hooks.onVolumesReported?.(own.current?.status?.volumesInUse ?? []);
  }

  async #write(current: Node, next: Node, stop: AbortSignal): Promise<void> {
    const { api, nodeName, own } = this.#parts;
    const patch = computeNodePatch(current, next);
    if (patch === undefined) return;
    const options = { ...this.#options(stop), kind: 'strategic', subresource: 'status' } as const;
    own.remember(await api.patch<Node>({ resource: NODES, name: nodeName }, patch, options));
  }

  /** True when the runtime was sent other networks than before. */
  async #applyPodCidrs({ spec }: Node, stop: AbortSignal): Promise<boolean> {
    const { kit, hooks } = this.#parts;
    const podCidrs = (spec?.podCIDRs ?? []).join(',');
    if (podCidrs === '' || podCidrs === this.#podCidrs) return false;
    try {
      await hooks.applyPodCidrs?.(podCidrs, stop);
    } catch (error) {
      if (!stop.aborted) kit.logger.error('cannot send the pod CIDRs to the runtime', error, { podCidrs });
      return false;
    }
    this.#podCidrs = podCidrs;
    return true;
  }

  /** Others write the spec: a new pod network is applied soon, a change of schedulability gets an event. */
  #noteSpec(node: Node | undefined): void {
    if (node === undefined) return;
    const { unschedulable = false, podCIDRs = [] } = node.spec ?? {};
    const podCidrs = podCIDRs.join(',');
    // Only what is new: a runtime that refuses them is asked again in its turn, not at once.
    if (podCidrs !== this.#seenPodCidrs) this.wake('pod networks');
    this.#seenPodCidrs = podCidrs;
    if (unschedulable === this.#unschedulable) return;
    this.#unschedulable = unschedulable;
    this.#recordEvents([
      toStatusEvent(this.#parts.nodeName, unschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable'),
    ]);
  }

  #recordEvents(events: readonly EventText[]): void {
    for (const event of events) {
      if (event.reason === 'Rebooted' && this.#rebootRecorded) continue;
      if (event.reason === 'Rebooted') this.#rebootRecorded = true;
      this.#parts.kit.events.record({ about: 'node', ...event });
    }
  }

  #say(problem: string): void {
    if (problem === this.#said) return;
    this.#said = problem;
    if (problem !== '') this.#parts.kit.logger.warn('node status reported incompletely', { err: problem });
  }

  #options(signal: AbortSignal): ApiCallOptions {
    return { signal, priority: 'heartbeat', timeoutMs: this.#parts.timing.timeoutMs };
  }
}
