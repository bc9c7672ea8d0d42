/** Detects an idle connection with a single timer. */
import type { Clock } from '../../base/async/clock.ts';

export class IdleWatch implements Disposable {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onIdle: () => void;
  #activeAtMs: number;
  #timer: Disposable | undefined;

  /** `timeoutMs` 0 means never. */
  constructor(clock: Clock, timeoutMs: number, onIdle: () => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onIdle = onIdle;
    this.#activeAtMs = clock.steady();
    if (timeoutMs > 0) this.#wait(timeoutMs);
  }

  touch(): void {
    this.#activeAtMs = this.#clock.steady();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #wait(delayMs: number): void {
    this.#timer = this.#clock.startTimer(delayMs, () => {
      const leftMs = this.#activeAtMs + this.#timeoutMs - this.#clock.steady();
      if (leftMs <= 0) this.#onIdle();
      else this.#wait(leftMs);
    });
  }
}
