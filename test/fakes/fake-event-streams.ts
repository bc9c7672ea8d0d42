/**
 * The event streams of the fake runtime: each open stream gets every event
 * from its opening on, in order and a little late, unless a fault eats it.
 * The history keeps all of them, delivered or not, for invariants.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import type { RuntimeEvent } from '../../src/ports/runtime/container-runtime.ts';
import type { RuntimeFaults } from './runtime-faults.ts';

interface Stream {
  readonly queue: RuntimeEvent[];
  readonly timers: Set<Disposable>;
  readonly onEvent: (event: RuntimeEvent) => void;
  readonly onBreak: () => void;
}

export class FakeEventStreams {
  readonly history: { readonly atMs: number; readonly event: RuntimeEvent }[] = [];
  readonly #clock: Clock;
  readonly #faults: RuntimeFaults;
  readonly #latencyMs: number;
  readonly #streams = new Set<Stream>();

  constructor(clock: Clock, faults: RuntimeFaults, latencyMs: number) {
    this.#clock = clock;
    this.#faults = faults;
    this.#latencyMs = latencyMs;
  }

  /** How many streams are open. */
  get open(): number {
    return this.#streams.size;
  }

  emit(event: RuntimeEvent): void {
    this.history.push({ atMs: this.#clock.now(), event });
    for (const stream of this.#streams) if (!this.#faults.losesEvent()) this.#send(stream, event);
  }

  /** Opens a stream; `onBreak` is called when the runtime ends it. Dispose to leave. */
  subscribe(onEvent: (event: RuntimeEvent) => void, onBreak: () => void): Disposable {
    const stream: Stream = { queue: [], timers: new Set(), onEvent, onBreak };
    this.#streams.add(stream);
    return { [Symbol.dispose]: () => this.#close(stream) };
  }

  /** Breaks every stream; what was on its way is lost. */
  breakAll(): void {
    for (const stream of [...this.#streams]) {
      this.#close(stream);
      stream.onBreak();
    }
  }

  /** One timer per event, but each takes the oldest: ties between timers must not reorder a stream. */
  #send(stream: Stream, event: RuntimeEvent): void {
    stream.queue.push(event);
    const timer = this.#clock.startTimer(this.#latencyMs, () => {
      stream.timers.delete(timer);
      const next = stream.queue.shift();
      if (next !== undefined) stream.onEvent(next);
    });
    stream.timers.add(timer);
  }

  #close(stream: Stream): void {
    this.#streams.delete(stream);
    for (const timer of stream.timers) timer[Symbol.dispose]();
    stream.timers.clear();
    stream.queue.length = 0;
  }
}
