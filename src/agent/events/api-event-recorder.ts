/**
 * Events to the API server, and to the log as without one. Recording only
 * puts them into a queue. The first is written at once; what is recorded
 * meanwhile and in the moment after it is written together, because requests
 * that go out and are answered together cost a fraction of one by one: while
 * many pods start most requests are events, and pods wait for the processor.
 *
 * Invariants: recording neither waits nor throws; the queue is bounded, and
 * what does not fit costs the oldest events, never the agent; events about the
 * same object are written in their order.
 */
import { randomUUID } from 'node:crypto';
import { sleep } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { AgentError, errorText, hasCode } from '../../base/errors.ts';
import type { ApiEvent, Occurrence } from '../../core/events/api-event.ts';
import { EventCorrelator, type EventDecision } from '../../core/events/event-correlator.ts';
import { toEventObject } from '../../core/events/event-subject.ts';
import { EVENTS } from '../../ports/cluster/api-resource.ts';
import { type ApiServer, apiStatusOf } from '../../ports/cluster/api-server.ts';
import type { EventRecorder, RecordedEvent } from '../../ports/event-recorder.ts';
import type { Kit } from '../../ports/kit.ts';

const MAX_QUEUED = 1000;
/** Of events under way at a time. */
const MAX_TOGETHER = 20;
/** From one lot of them to the next. */
const GATHER_MS = 500;
const TRIES = 12;
const RETRY_MS = 10_000;
const NANOS_PER_MS = 1_000_000n;

export interface ApiEventRecorderParts extends Pick<Kit, 'clock' | 'logger' | 'random'> {
  readonly api: Pick<ApiServer, 'create' | 'patch'>;
  readonly nodeName: string;
  /** Receives every event at once, whether or not the API server takes it. */
  readonly local: EventRecorder;
}

type EventWrite = Exclude<EventDecision, { kind: 'drop' }>;

export class ApiEventRecorder implements EventRecorder {
  readonly #parts: ApiEventRecorderParts;
  readonly #correlator: EventCorrelator;
  readonly #mailbox: Mailbox;
  readonly #queue: Occurrence[] = [];
  #dropped = 0;
  #nanos = 0n;

  constructor(parts: ApiEventRecorderParts) {
    this.#parts = parts;
    this.#correlator = new EventCorrelator(parts.nodeName);
    this.#mailbox = new Mailbox(parts.clock);
  }

  /** Events that wait to be written. */
  get queued(): number {
    return this.#queue.length;
  }

  record(event: RecordedEvent): void {
    const { local, nodeName, clock } = this.#parts;
    local.record(event);
    const { about, ...text } = event;
    this.#queue.push({ object: toEventObject(about, nodeName), ...text, atMs: clock.now() });
    if (this.#queue.length > MAX_QUEUED) {
      this.#queue.shift();
      this.#dropped++;
    }
    this.#mailbox.post('event');
  }

  /** Writes events until `stop`; never rejects. What waits then is lost, the log has it. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      if (this.#queue.length === 0) {
        await this.#mailbox.wait(stop);
        continue;
      }
      await this.#writeTogether(this.#queue.splice(0, MAX_TOGETHER), stop);
      if (this.#dropped > 0) this.#logDropped();
      if (this.#queue.length < MAX_TOGETHER) await sleep(this.#parts.clock, GATHER_MS, stop);
    }
  }

  async #writeTogether(occurrences: readonly Occurrence[], stop: AbortSignal): Promise<void> {
    const decisions = occurrences.map((occurrence) => this.#decide(occurrence));
    const writes = decisions.filter((decision) => decision.kind !== 'drop');
    const byObject = Map.groupBy(writes, ({ event }) => event.involvedObject.uid);
    const writeInOrder = async (about: readonly EventWrite[]): Promise<void> => {
      for (const one of about)
        await this.#write(one, stop).catch((error: unknown) => {
          const { reason } = one.event;
          if (!stop.aborted) this.#parts.logger.error('cannot write event', error, { reason });
        });
    };
    await Promise.all([...byObject.values()].map(writeInOrder));
  }

  #decide(occurrence: Occurrence): EventDecision {
    return this.#correlator.decide(occurrence, { nanos: this.#nextNanos(), spareName: randomUUID() });
  }

  #logDropped(): void {
    this.#parts.logger.warn('event queue full, events dropped', { events: this.#dropped });
    this.#dropped = 0;
  }

  async #write(decision: EventWrite, stop: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#parts;
    for (let tries = 1; !stop.aborted; tries++) {
      try {
        return await this.#send(decision, stop);
      } catch (error) {
        if (stop.aborted) return;
        if (!(error instanceof AgentError)) throw error;
        const fields = {
          event: decision.event.metadata.name,
          reason: decision.event.reason,
          err: errorText(error),
        };
        // An answer is final: the server would give it again.
        if (apiStatusOf(error) !== undefined)
          return logger.debug({ file: 'api-event-recorder', level: 1 }, 'event refused', fields);
        if (tries >= TRIES) return logger.warn('event not written, giving up', fields);
        logger.debug({ file: 'api-event-recorder', level: 2 }, 'event not written, trying again', fields);
      }
      await sleep(clock, tries === 1 ? RETRY_MS * random() : RETRY_MS, stop);
    }
  }

  async #send({ kind, event }: EventWrite, signal: AbortSignal): Promise<void> {
    const { api } = this.#parts;
    if (kind === 'count' && (await this.#count(event, signal))) return;
    await api.create(EVENTS, event, { priority: 'events', signal });
  }

  /** False when the server no longer has the event; it keeps them for an hour. */
  async #count({ metadata, count, lastTimestamp, message }: ApiEvent, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#parts.api.patch(
        { resource: EVENTS, ...metadata },
        { count, lastTimestamp, message },
        { kind: 'strategic', priority: 'events', signal },
      );
      return true;
    } catch (error) {
      if (hasCode(error, 'not-found')) return false;
      throw error;
    }
  }

  /** The time, moved on where two events share it: names must differ. */
  #nextNanos(): bigint {
    const now = BigInt(Math.trunc(this.#parts.clock.now())) * NANOS_PER_MS;
    this.#nanos = now > this.#nanos ? now : this.#nanos + 1n;
    return this.#nanos;
  }
}
