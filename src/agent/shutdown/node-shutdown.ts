/**
 * Ends the pods of the node before the machine shuts down.
 *
 *   connect ─► guarded ──shutdown begins──► ending pods ─► over, lock released
 *                 ▲                              │                  │
 *                 └──────────── called off ──────┴──────────────────┘
 *
 * From the beginning of a shutdown until it is called off the node is not
 * ready and takes no pods. A lost connection is made again; what goes on
 * meanwhile goes on. An agent that starts in the middle of a shutdown finds it
 * under way, with the lock of its earlier life, and takes the pods that run
 * before it refuses others: it waits for the sources of pods first.
 *
 * Owner of the node's `shutdown` and `shutdownGuard`.
 */
import { sleep } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { SHUTDOWN_REFUSAL } from '../../core/node/admit-pod.ts';
import type { ShutdownGuard } from '../../core/node-status/node-status-facts.ts';
import { type ShutdownPeriod, sumPeriods } from '../../core/shutdown/shutdown-periods.ts';
import { SHUTTING_DOWN } from '../../core/shutdown/shutdown-plan.ts';
import type { ShutdownTimes } from '../../core/shutdown/shutdown-times.ts';
import type { HostShutdown, HostShutdownLink } from '../../ports/host/host-shutdown.ts';
import type { Kit } from '../../ports/kit.ts';
import type { NodeState, NodeStateClaim } from '../node/node-state.ts';
import { type EndedPods, endPods, whenPodsKnown } from './end-pods.ts';
import { guardShutdown } from './guard-shutdown.ts';
import type { ShutdownRecord } from './shutdown-record.ts';

const RETRY: RetryPolicy = { initialMs: 1_000, maxMs: 300_000 };
/** The end of the agent waits so long for the release of the lock. */
const RELEASE_MS = 2_000;

export interface ShutdownSettings {
  /** Lowest priority first; not empty. */
  readonly periods: readonly ShutdownPeriod[];
  /** Whether the times of the last shutdown are kept. */
  readonly keepsTimes: boolean;
}

export interface NodeShutdownParts {
  readonly kit: Pick<Kit, 'clock' | 'logger' | 'random' | 'events'>;
  readonly host: HostShutdown;
  readonly pods: Omit<EndedPods, 'kit'>;
  readonly state: Pick<NodeState, 'claim'>;
  readonly record: ShutdownRecord;
  readonly settings: ShutdownSettings;
}

export class NodeShutdown {
  readonly name = 'node shutdown';
  readonly #parts: NodeShutdownParts;
  readonly #changes: Mailbox;
  readonly #claim: NodeStateClaim;
  readonly #guardClaim: NodeStateClaim;
  /** What the machine last said. */
  #isPending = false;
  /** Aborts when the shutdown is called off; undefined while there is none. */
  #shutdown: AbortController | undefined;
  /** The pods that ran are known: the node is not ready and takes no others. */
  #isClosed = false;
  /** The pods have ended, or their time is over. */
  #isOver = false;
  #guard: ShutdownGuard = { kind: 'missing', problem: 'the shutdown of the machine is not watched yet' };
  #failures = 0;

  constructor(parts: NodeShutdownParts) {
    this.#parts = parts;
    this.#changes = new Mailbox(parts.kit.clock);
    this.#claim = parts.state.claim('shutdown', () => (this.#isClosed ? SHUTTING_DOWN : undefined));
    this.#guardClaim = parts.state.claim('shutdownGuard', () => this.#guard);
  }

  /** Of the last shutdown that is known. */
  get times(): ShutdownTimes {
    return this.#parts.record.times;
  }

  async load(): Promise<void> {
    if (this.#parts.settings.keepsTimes) await this.#parts.record.load();
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts.kit;
    while (!stop.aborted) {
      try {
        await this.#watch(stop);
      } catch (error) {
        // While the machine goes down the bus does too: what was held was held.
        if (!stop.aborted && this.#shutdown === undefined)
          this.#setGuard({ kind: 'missing', problem: errorText(error) });
      }
      await sleep(clock, computeRetryDelay(RETRY, this.#failures++, random()), stop);
    }
    await this.#release();
  }

  /** One connection: until it is lost, which rejects, or `stop`. */
  async #watch(stop: AbortSignal): Promise<void> {
    using link = await this.#parts.host.connect(stop);
    let heard = false;
    using _signals = link.subscribe((isPending) => {
      heard = true;
      this.#hear(isPending);
    });
    using _loss = onAbort(link.lost, () => this.#changes.post('the connection is lost'));
    const isPending = await link.isPending(stop);
    // What was heard meanwhile is younger than the answer.
    if (!heard) this.#hear(isPending);
    let done: 'guarded' | 'released' | undefined;
    while (!stop.aborted && !link.lost.aborted) {
      if (this.#shutdown?.signal.aborted) this.#callOff();
      if (!this.#isPending && done !== 'guarded') {
        await this.#takeGuard(link, stop);
        done = 'guarded';
      } else if (this.#isPending && done !== 'released') {
        done = (await this.#shutDown(link, stop)) ? 'released' : undefined;
      }
      await this.#changes.wait(stop);
    }
    if (!stop.aborted)
      throw new AgentError('unavailable', 'the connection to logind is lost', { retryable: true });
  }

  #hear(isPending: boolean): void {
    this.#isPending = isPending;
    if (!isPending) this.#shutdown?.abort(new Error('the shutdown is called off'));
    this.#changes.post(isPending ? 'the shutdown begins' : 'the shutdown is called off');
  }

  async #takeGuard(link: HostShutdownLink, stop: AbortSignal): Promise<void> {
    const { kit, settings } = this.#parts;
    const shortness = await guardShutdown(kit.clock, link, sumPeriods(settings.periods), stop);
    this.#failures = 0;
    this.#setGuard(shortness === undefined ? { kind: 'held' } : { kind: 'short', problem: shortness });
  }

  /** False when it is called off before its end. */
  async #shutDown(link: HostShutdownLink, stop: AbortSignal): Promise<boolean> {
    const { kit, pods, record, settings } = this.#parts;
    const { signal } = this.#shutdown ?? this.#begin();
    if (!this.#isOver) {
      const end = AbortSignal.any([signal, stop]);
      await whenPodsKnown({ ...pods, kit }, sumPeriods(settings.periods) * 1000, end);
      if (end.aborted) return false;
      this.#setClosed(true);
      if (settings.keepsTimes) await record.begin();
      await endPods({ ...pods, kit }, settings.periods, end);
      if (signal.aborted || stop.aborted) return false;
      if (settings.keepsTimes) await record.end();
      this.#isOver = true;
    }
    await link.releaseLock(stop);
    kit.logger.info('the lock is released, the machine shuts down');
    return true;
  }

  #begin(): AbortController {
    const { events, logger } = this.#parts.kit;
    const shutdown = new AbortController();
    this.#shutdown = shutdown;
    this.#isOver = false;
    logger.info('the machine is about to shut down, ending pods');
    const message = 'Shutdown manager detected shutdown event';
    events.record({ about: 'node', type: 'Normal', reason: 'Shutdown', message });
    return shutdown;
  }

  #setClosed(isClosed: boolean): void {
    this.#isClosed = isClosed;
    this.#claim.changed();
  }

  /** Pods of the API are replaced by their owners; static pods have none but this node. */
  #callOff(): void {
    const { kit, pods } = this.#parts;
    this.#shutdown = undefined;
    kit.logger.info('the shutdown of the machine is called off');
    const message = 'Shutdown manager detected shutdown cancellation';
    kit.events.record({ about: 'node', type: 'Normal', reason: 'Shutdown', message });
    this.#setClosed(false);
    for (const { uid, source, termination } of [...pods.desired.records.values()])
      if (isForShutdown(termination) && source !== 'api' && source !== 'runtime')
        pods.desired.requestTermination(uid, { cause: 'removed' });
  }

  #setGuard(guard: ShutdownGuard): void {
    const before = this.#guard;
    if (before.kind === guard.kind && toProblem(before) === toProblem(guard)) return;
    this.#guard = guard;
    const { logger } = this.#parts.kit;
    if (guard.kind === 'held') logger.info('a shutdown of the machine waits for pods');
    else if (guard.kind === 'short')
      logger.warn('pods get less time at a shutdown than is configured', { err: guard.problem });
    else logger.warn('a shutdown of the machine does not wait for pods', { err: toProblem(guard) });
    this.#guardClaim.changed();
  }

  /** Over a connection of its own: the stop may have come before there was one, or while the lock was taken. */
  async #release(): Promise<void> {
    const { kit, host } = this.#parts;
    using deadline = new Deadline(kit.clock, { timeoutMs: RELEASE_MS });
    const { signal } = deadline;
    try {
      using link = await host.connect(signal);
      // A shutdown that is under way still needs it, for the agent that comes next.
      if (!(await link.isPending(signal))) await link.releaseLock(signal);
    } catch (error) {
      kit.logger.warn('cannot release the lock on the shutdown of the machine', { err: errorText(error) });
    }
  }
}

/** Ended or refused for nothing but the shutdown. */
function isForShutdown(termination: DesiredPod['termination']): boolean {
  const { cause, verdict } = termination ?? {};
  return cause === 'shutdown' || (cause === 'rejected' && verdict?.reason === SHUTDOWN_REFUSAL.reason);
}

function toProblem(guard: ShutdownGuard): string | undefined {
  return 'problem' in guard ? guard.problem : undefined;
}
