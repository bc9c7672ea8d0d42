/** How the agent watches the runtime: relists, reads of single pods, and the event stream. */
import { Counter, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';

export class RuntimeWatchMetrics {
  readonly #relistSeconds: Histogram;
  readonly #relistInterval: Histogram;
  readonly #podRelistSeconds: Histogram;
  readonly #streamErrors: Counter;
  readonly #streamSuccesses: Counter;
  readonly #streamSeconds: Histogram;
  #lastRelistMs: number | undefined;

  constructor(registry: MetricRegistry) {
    const counter = (name: string, help: string): Counter => registry.add(new Counter({ name, help }));
    const histogram = (name: string, help: string): Histogram => registry.add(new Histogram({ name, help }));
    // Wake-ups are merged, never dropped: it stays at zero, where alerts expect it.
    counter('kubelet_pleg_discard_events', 'The number of discard events in PLEG.');
    this.#relistSeconds = histogram(
      'kubelet_pleg_relist_duration_seconds',
      'Duration in seconds for listing all pods of the runtime.',
    );
    this.#relistInterval = histogram(
      'kubelet_pleg_relist_interval_seconds',
      'Interval in seconds between such listings.',
    );
    this.#podRelistSeconds = histogram(
      'kubelet_pleg_pod_relist_duration_seconds',
      'Duration in seconds for reading a single pod from the runtime.',
    );
    this.#streamErrors = counter(
      'kubelet_evented_pleg_connection_error_count',
      'The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
    );
    this.#streamSuccesses = counter(
      'kubelet_evented_pleg_connection_success_count',
      'The number of times a streaming client was obtained to receive CRI Events.',
    );
    this.#streamSeconds = histogram(
      'kubelet_evented_pleg_connection_latency_seconds',
      'The latency of streaming connection with the CRI runtime, measured in seconds.',
    );
  }

  relisted(startedAtMs: number, durationMs: number): void {
    this.#relistSeconds.observe(durationMs / 1000);
    if (this.#lastRelistMs !== undefined)
      this.#relistInterval.observe((startedAtMs - this.#lastRelistMs) / 1000);
    this.#lastRelistMs = startedAtMs;
  }

  podRead(durationMs: number): void {
    this.#podRelistSeconds.observe(durationMs / 1000);
  }

  /** The event stream was opened after this time; undefined when it could not be. */
  eventsOpened(durationMs: number | undefined): void {
    if (durationMs === undefined) {
      this.#streamErrors.add(1);
      return;
    }
    this.#streamSuccesses.add(1);
    this.#streamSeconds.observe(durationMs / 1000);
  }
}
