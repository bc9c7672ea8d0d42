/**
 * Lets the heap grow while pods start and end, and makes it small again when
 * that is over. A heap that is kept small all the time is collected again and
 * again while much is under way, which was a third of what a burst of pods
 * cost; one that may always grow holds 10 MiB more than it needs.
 *
 *   roomy ──no work for a whole period──► collected if it has grown, thrifty
 *     ▲                                              │
 *     └──────────────────────work────────────────────┘
 *
 * The start counts as work, and most of what ran for it does not run again: the first collection takes its code
 * along, which is a sixth of the heap. At rest there is no timer.
 */
import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../../base/async/clock.ts';

export interface Heap {
  sizeBytes(): number;
  /** Takes some 50 ms, in which nothing else runs. Functions whose code goes are compiled again when they are called. */
  collect(withCode: boolean): void;
  /** Whether a small heap counts for more than few collections. */
  setThrifty(isThrifty: boolean): void;
}

/** How long nothing must happen: at least so long, at most twice. */
const PERIOD_MS = 2_000;
/** Less is not worth a collection: a pod that is restarted once a minute must not cause one each time. */
const GROWTH_BYTES = 4 * 2 ** 20;

export class HeapCare implements Disposable {
  readonly #heap: Heap;
  readonly #clock: Clock;
  /** Undefined at rest. */
  #timer: Disposable | undefined;
  #hasWork = false;
  /** After the last collection. */
  #smallBytes = 0;

  constructor(heap: Heap, clock: Clock) {
    this.#heap = heap;
    this.#clock = clock;
  }

  /** Something happens for which the heap may grow. Called often. */
  noteWork(): void {
    this.#hasWork = true;
    if (this.#timer !== undefined) return;
    this.#heap.setThrifty(false);
    this.#wait();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #wait(): void {
    this.#hasWork = false;
    this.#timer = this.#clock.startTimer(PERIOD_MS, () => (this.#hasWork ? this.#wait() : this.#rest()));
  }

  #rest(): void {
    this.#timer = undefined;
    this.#heap.setThrifty(true);
    if (this.#heap.sizeBytes() < this.#smallBytes + GROWTH_BYTES) return;
    this.#heap.collect(this.#smallBytes === 0);
    this.#smallBytes = this.#heap.sizeBytes();
  }
}

/** V8's own: code that was not run between so many collections is dropped. */
const USUAL_CODE_AGE = 6;

/** That of this process; undefined when it was started without `--expose-gc`, which `bin/kubelet` gives it. */
export function findHeap(): Heap | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  return {
    sizeBytes: () => process.memoryUsage().heapTotal,
    collect: (withCode) => {
      if (withCode) setFlagsFromString('--bytecode-old-age=0');
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
      if (withCode) setFlagsFromString(`--bytecode-old-age=${USUAL_CODE_AGE}`);
    },
    setThrifty: (isThrifty) =>
      setFlagsFromString(isThrifty ? '--optimize-for-size' : '--no-optimize-for-size'),
  };
}
