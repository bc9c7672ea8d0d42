/**
 * Sends finished spans to a collector (OTLP over gRPC), in batches, beside
 * everything else. A collector that is slow, away or confused costs at most
 * the spans that fit the queue; those beyond it are dropped and counted.
 *
 *   add ─► queue (bounded) ─► batch after 5 s or when full ─► collector
 *                 ▲                                              │ not now: again later
 *                 └──────────────────────────────────────────────┘
 */
import type { Clock } from '../../base/async/clock.ts';
import { Mailbox } from '../../base/async/mailbox.ts';
import { computeRetryDelay, type RetryPolicy } from '../../base/async/retry-delay.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import * as otlp from '../../gen/otlp.ts';
import { GrpcChannel, type TcpPlace } from '../grpc/grpc-channel.ts';
import { GrpcCode, GrpcError } from '../grpc/grpc-status.ts';
import { encodeSpans } from './encode-spans.ts';
import type { FinishedSpan } from './span-tracer.ts';

export interface SpanExporterParts {
  readonly endpoint: string | TcpPlace;
  /** What all spans have in common, such as the name of the host. */
  readonly resource: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
}

const MAX_QUEUED = 2_048;
const BATCH = 512;
const BATCH_DELAY_MS = 5_000;
const CALL_TIMEOUT_MS = 10_000;
/** At the end nothing waits longer for a collector. */
const LAST_TIMEOUT_MS = 1_000;
const RETRY: RetryPolicy = { initialMs: 5_000, maxMs: 60_000, spread: 0.5 };

/** What may work a moment later; all else would fail again. */
const PASSING: readonly number[] = [
  GrpcCode.UNAVAILABLE,
  GrpcCode.DEADLINE_EXCEEDED,
  GrpcCode.RESOURCE_EXHAUSTED,
  GrpcCode.ABORTED,
  GrpcCode.CANCELLED,
];

export class SpanExporter {
  readonly #parts: SpanExporterParts;
  readonly #channel: GrpcChannel;
  readonly #mailbox: Mailbox;
  #queue: FinishedSpan[] = [];
  #failures = 0;
  #exported = 0;
  #dropped = 0;

  constructor(parts: SpanExporterParts) {
    this.#parts = parts;
    const { clock, random, endpoint } = parts;
    this.#channel = new GrpcChannel({ socketPath: endpoint, clock, random });
    this.#mailbox = new Mailbox(clock);
  }

  get counts(): { readonly exported: number; readonly dropped: number } {
    return { exported: this.#exported, dropped: this.#dropped };
  }

  add(span: FinishedSpan): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.#dropped++;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length === 1 || this.#queue.length === BATCH) this.#mailbox.post('spans');
  }

  /** Sends until `stop` aborts, and what is left once more. */
  async run(stop: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!stop.aborted) {
      if (this.#queue.length === 0) {
        await this.#mailbox.wait(stop);
        continue;
      }
      if (this.#queue.length < BATCH || this.#failures > 0) await this.#pause(stop, clock.steady());
      if (!stop.aborted) await this.#send(CALL_TIMEOUT_MS, stop);
    }
    if (this.#queue.length > 0) await this.#send(LAST_TIMEOUT_MS, undefined);
    this.#drop(this.#queue.splice(0).length);
    await this.#channel.close();
  }

  /** A full batch ends the wait, unless the collector did not take the last one. */
  async #pause(stop: AbortSignal, nowMs: number): Promise<void> {
    const { clock, random } = this.#parts;
    const isRetry = this.#failures > 0;
    const untilMs =
      nowMs + (isRetry ? computeRetryDelay(RETRY, this.#failures - 1, random()) : BATCH_DELAY_MS);
    while (!stop.aborted && clock.steady() < untilMs) {
      await this.#mailbox.wait(stop, untilMs);
      if (!isRetry && this.#queue.length >= BATCH) return;
    }
  }

  /** Never rejects. */
  async #send(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    const batch = this.#queue.splice(0, BATCH);
    try {
      const body = encodeSpans(batch, this.#parts.resource);
      let rejected = 0;
      await this.#channel.call({
        path: `/${otlp.PACKAGE}.TraceService/Export`,
        body,
        timeoutMs,
        signal,
        onMessage: (message) => {
          rejected = otlp.decodeExportTraceServiceResponse(message).partialSuccess?.rejectedSpans ?? 0;
        },
      });
      this.#accept(batch.length, Math.min(Math.max(rejected, 0), batch.length));
    } catch (error) {
      this.#refuse(batch, error);
    }
  }

  #accept(count: number, rejected: number): void {
    if (this.#failures > 0) this.#parts.logger.info('spans reach their collector again');
    this.#failures = 0;
    this.#exported += count - rejected;
    this.#drop(rejected);
  }

  #refuse(batch: readonly FinishedSpan[], error: unknown): void {
    if (this.#failures++ === 0)
      this.#parts.logger.warn('cannot send spans to their collector', { err: errorText(error) });
    const isPassing = error instanceof GrpcError && PASSING.includes(error.code);
    // Those that came meanwhile are newer; of all, the first ones that fit stay.
    const all = isPassing ? [...batch, ...this.#queue] : this.#queue;
    this.#drop(batch.length + this.#queue.length - Math.min(all.length, MAX_QUEUED));
    this.#queue = all.slice(0, MAX_QUEUED);
  }

  #drop(count: number): void {
    this.#dropped += count;
  }
}
