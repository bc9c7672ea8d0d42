/**
 * Watches the runtime and reports which pods changed. Events wake at once where
 * the runtime has them; a relist finds what no event reported (always, slowly;
 * without events, often while things move and seldom when they rest). What a
 * worker acts on is never the event but `readPod`, read at that moment.
 *
 * Cost of a read: two lists filtered by pod, and one status call for each
 * sandbox or container whose state was not known yet.
 */
import { sleep } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import { fingerprint, groupByPod } from '../../core/model/group-by-pod.ts';
import type { ContainerId, PodUid, SandboxId } from '../../core/model/ids.ts';
import {
  compareContainers,
  compareSandboxes,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from '../../core/model/observed-pod.ts';
import type { AgentMeter } from '../../ports/agent-meter.ts';
import type { Kit } from '../../ports/kit.ts';
import type {
  RuntimeCallOptions,
  RuntimeEvent,
  RuntimeReader,
} from '../../ports/runtime/container-runtime.ts';
import { NewSandboxUnreadError } from './new-sandbox-unread-error.ts';

/** With events a relist is only a safety net, and this is the longest time between two. */
const SAFETY_RELIST_MS = 60_000;
/** Without events: right after a change, and at most. */
const FAST_RELIST_MS = 250;
const SLOW_RELIST_MS = 1_000;
const RETRY_MS = 1_000;
/** A runtime that could not be listed for this long cannot be worked with, whatever it says of itself. */
const UNHEALTHY_AFTER_MS = 180_000;

export interface RuntimeObserverParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'> & {
    readonly meter: Pick<AgentMeter, 'relisted' | 'podRead' | 'eventsOpened'>;
  };
  readonly reader: RuntimeReader;
  /** Relists with events are this far apart where that is sooner than the safety net; at least a second. */
  readonly relistMs?: number;
  /** Called with the pod that changed. */
  readonly onPodChanged: (uid: PodUid) => void;
  /** Whether the pod has a worker; an event of another pod triggers a relist. */
  readonly knows?: (uid: PodUid) => boolean;
  /** Called when the runtime could not be listed; it is tried again. */
  readonly onRelistFailed?: (error: unknown) => void;
  /** Called with what each reading of a pod found. */
  readonly onRead?: (pod: ObservedPod) => void;
  /** Called after each complete relist. */
  readonly onRelist: () => void;
}

/** Statuses of one pod as last read; only what was still listed then. */
interface PodDetails {
  readonly sandboxes: ReadonlyMap<SandboxId, ObservedSandbox>;
  readonly containers: ReadonlyMap<ContainerId, ObservedContainer>;
}

export class RuntimeObserver {
  readonly name = 'runtime observer';
  readonly #parts: RuntimeObserverParts;
  /** Asked for when a stream opened or broke: it may have hidden something, also from a relist under way. */
  readonly #relistWanted: Mailbox;
  /** What the last relist saw, as one text per pod: enough to notice a change. */
  #fingerprints = new Map<PodUid, string>();
  #listed = new Map<PodUid, ObservedPod>();
  readonly #details = new Map<PodUid, PodDetails>();
  #lastRelistMs: number | undefined;
  #startedMs: number | undefined;
  #events: 'connecting' | 'open' | 'unsupported' = 'connecting';

  constructor(parts: RuntimeObserverParts) {
    this.#parts = parts;
    this.#relistWanted = new Mailbox(parts.kit.clock);
  }

  /** When the runtime was last listed completely, in steady time; undefined before the first time. */
  get lastRelistMs(): number | undefined {
    return this.#lastRelistMs;
  }

  /** Set while the runtime could not be listed for too long, in the words the node's readiness has for it. */
  get problem(): string | undefined {
    const lastMs = this.#lastRelistMs ?? this.#startedMs;
    if (lastMs === undefined) return undefined;
    const agoMs = this.#parts.kit.clock.steady() - lastMs;
    if (agoMs <= UNHEALTHY_AFTER_MS) return undefined;
    if (this.#lastRelistMs === undefined) return 'PLEG is not healthy: pleg has yet to be successful';
    const [ago, threshold] = [Math.floor(agoMs / 1000) * 1000, UNHEALTHY_AFTER_MS].map(renderGoDuration);
    return `PLEG is not healthy: pleg was last seen active ${ago} ago; threshold is ${threshold}`;
  }

  /** True when changes arrive as events. */
  get hasEvents(): boolean {
    return this.#events === 'open';
  }

  /** Every pod of the last relist, list entries only. */
  get listed(): ReadonlyMap<PodUid, ObservedPod> {
    return this.#listed;
  }

  /** Every pod as it was last read, or listed where that was all. For counts: the last relist may be a minute old. */
  *lastReadings(): Generator<{
    readonly sandboxes: Iterable<ObservedSandbox>;
    readonly containers: Iterable<ObservedContainer>;
  }> {
    for (const { sandboxes, containers } of this.#details.values())
      yield { sandboxes: sandboxes.values(), containers: containers.values() };
    for (const [uid, pod] of this.#listed) if (!this.#details.has(uid)) yield pod;
  }

  /** Watches until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    this.#startedMs = this.#parts.kit.clock.steady();
    await Promise.all([this.#watch(stop), this.#relistForever(stop)]);
  }

  /** Reads one pod from the runtime now. Rejects with AgentError when the runtime cannot say. */
  async readPod(uid: PodUid, signal: AbortSignal, label: string): Promise<ObservedPod> {
    const { kit, reader } = this.#parts;
    const { clock, meter } = kit;
    const startedMs = clock.steady();
    const [sandboxes, containers] = await Promise.all([
      reader.listSandboxes(uid, { signal, label }),
      reader.listContainers(uid, { signal, label }),
    ]);
    const known = this.#details.get(uid);
    const [readSandboxes, readContainers] = await Promise.all([
      Promise.all(sandboxes.map((sandbox) => this.#sandboxStatus(sandbox, known, { signal, label }))),
      Promise.all(containers.map((container) => this.#containerStatus(container, known, { signal, label }))),
    ]);
    const found = {
      sandboxes: readSandboxes.filter((sandbox) => sandbox !== undefined).sort(compareSandboxes),
      containers: readContainers.filter((container) => container !== undefined).sort(compareContainers),
    };
    this.#details.set(uid, {
      sandboxes: new Map(found.sandboxes.map((sandbox) => [sandbox.id, sandbox])),
      containers: new Map(found.containers.map((container) => [container.id, container])),
    });
    meter.podRead(clock.steady() - startedMs);
    const pod = { uid, ...found };
    // The next relist has no news where it lists the same; a pod of which there is nothing is in no list.
    const isListed = sandboxes.length + containers.length > 0;
    if (isListed) this.#fingerprints.set(uid, fingerprint({ uid, sandboxes, containers }));
    else this.#fingerprints.delete(uid);
    this.#parts.onRead?.(pod);
    return pod;
  }

  /** A container as its status was last read; undefined for one that is not known. */
  lastSeen(id: ContainerId): ObservedContainer | undefined {
    for (const { containers } of this.#details.values()) {
      const found = containers.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** What was read of the pod's containers no longer holds: their resources were changed. */
  reinspect(uid: PodUid): void {
    this.#details.delete(uid);
  }

  /** Drops what is remembered of a pod that is gone. */
  podGone({ uid }: { readonly uid: PodUid }): void {
    this.#listed.delete(uid);
    this.#fingerprints.delete(uid);
    this.#details.delete(uid);
  }

  /** A status holds until the list shows another state: a running or exited container does not change otherwise. */
  async #containerStatus(
    listed: ObservedContainer,
    known: PodDetails | undefined,
    options: RuntimeCallOptions,
  ): Promise<ObservedContainer | undefined> {
    const before = known?.containers.get(listed.id);
    if (before?.state === listed.state && listed.state !== 'unknown') return before;
    return this.#parts.reader.containerStatus(listed.id, options);
  }

  /** A sandbox that should have addresses and has none yet may get them without another sign. */
  async #sandboxStatus(
    listed: ObservedSandbox,
    known: PodDetails | undefined,
    options: RuntimeCallOptions,
  ): Promise<ObservedSandbox | undefined> {
    const before = known?.sandboxes.get(listed.id);
    const lacksAddress = before?.network?.mode === 'pod' && before.network.ips.length === 0;
    if (before?.ready === listed.ready && !(before.ready && lacksAddress)) return before;
    try {
      return await this.#parts.reader.sandboxStatus(listed.id, options);
    } catch (error) {
      throw before === undefined && error instanceof AgentError ? new NewSandboxUnreadError(error) : error;
    }
  }

  async #watch(stop: AbortSignal): Promise<void> {
    const { kit, reader } = this.#parts;
    const { clock, logger, meter } = kit;
    while (!stop.aborted) {
      const startedMs = clock.steady();
      try {
        await reader.watchEvents((event) => this.#onEvent(event), {
          signal: stop,
          onOpen: () => {
            logger.info('watching runtime events');
            this.#events = 'open';
            meter.eventsOpened(clock.steady() - startedMs);
            this.#relistWanted.post('event stream');
          },
        });
      } catch (error) {
        if (stop.aborted) return;
        if (hasCode(error, 'unimplemented')) {
          this.#events = 'unsupported';
          logger.info('runtime has no event stream, relisting instead');
          this.#relistWanted.post('event stream');
          return;
        }
        if (this.#events !== 'open') meter.eventsOpened(undefined);
        else
          logger.warn('runtime event stream broke, relisting until it reconnects', { err: errorText(error) });
        this.#events = 'connecting';
        this.#relistWanted.post('event stream');
        await sleep(clock, RETRY_MS, stop);
      }
    }
  }

  /** Not every event names its pod; then the owner is the one at the last reading. */
  #onEvent({ podUid, id, kind }: RuntimeEvent): void {
    const uid = podUid ?? this.#ownerOf(id);
    const { onPodChanged, knows = () => true } = this.#parts;
    if (uid !== undefined && knows(uid)) onPodChanged(uid);
    // Such as what a call of a killed agent still made: only a list shows what it is.
    else if (kind !== 'deleted') this.#relistWanted.post('event of an unknown pod');
  }

  #ownerOf(id: string): PodUid | undefined {
    const isIts = ({ sandboxes, containers }: PodDetails): boolean =>
      sandboxes.has(id as SandboxId) || containers.has(id as ContainerId);
    for (const [uid, details] of this.#details) if (isIts(details)) return uid;
    return undefined;
  }

  async #relistForever(stop: AbortSignal): Promise<void> {
    const { kit, relistMs = SAFETY_RELIST_MS } = this.#parts;
    const { logger, clock } = kit;
    const safetyMs = Math.max(SLOW_RELIST_MS, Math.min(SAFETY_RELIST_MS, relistMs));
    let failing = false;
    while (!stop.aborted) {
      let delayMs = RETRY_MS;
      try {
        const changed = await this.#relist(stop);
        if (failing) logger.info('runtime reachable again');
        failing = false;
        delayMs = this.hasEvents ? safetyMs : changed ? FAST_RELIST_MS : SLOW_RELIST_MS;
      } catch (error) {
        if (stop.aborted) return;
        if (!failing) logger.error('cannot list the containers of the runtime, retrying', error);
        failing = true;
        this.#parts.onRelistFailed?.(error);
      }
      await this.#relistWanted.wait(stop, clock.steady() + delayMs);
    }
  }

  /** Lists everything and reports the pods that differ from the last time. True when any does. */
  async #relist(signal: AbortSignal): Promise<boolean> {
    const { kit, reader, onPodChanged, onRelist } = this.#parts;
    const { clock, meter } = kit;
    const startedMs = clock.steady();
    const options = { signal, label: 'relist' };
    const [sandboxes, containers] = await Promise.all([
      reader.listSandboxes(undefined, options),
      reader.listContainers(undefined, options),
    ]);
    const listed = groupByPod(sandboxes, containers);
    const fingerprints = new Map([...listed].map(([uid, pod]) => [uid, fingerprint(pod)]));
    const touched = new Set([...this.#fingerprints.keys(), ...fingerprints.keys()]);
    const changed = [...touched].filter((uid) => fingerprints.get(uid) !== this.#fingerprints.get(uid));
    this.#listed = listed;
    this.#fingerprints = fingerprints;
    this.#lastRelistMs = startedMs;
    meter.relisted(startedMs, clock.steady() - startedMs);
    for (const uid of changed) onPodChanged(uid);
    onRelist();
    return changed.length > 0;
  }
}
