/**
 * Collects lines and writes many at once (`infoBufferSize`): when the next one
 * does not fit, when the oldest has waited for `flushMs` (`flushFrequency`),
 * and when asked to. While nothing waits there is no timer.
 */
export interface BufferedLinesParts {
  readonly sizeBytes: number;
  readonly flushMs: number;
  readonly write: (text: string) => void;
  /** Of the real clock unless given: it must not keep the process alive. */
  readonly startTimer?: (delayMs: number, run: () => void) => void;
}

export class BufferedLines {
  readonly #parts: BufferedLinesParts;
  #lines: string[] = [];
  #bytes = 0;
  #isTimed = false;

  constructor(parts: BufferedLinesParts) {
    this.#parts = parts;
  }

  /** `text` ends with a new line. One that is larger than the buffer is written by itself. */
  add(text: string): void {
    const { sizeBytes, flushMs, write, startTimer = startUnheldTimer } = this.#parts;
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes > sizeBytes) this.flush();
    if (bytes > sizeBytes) {
      write(text);
      return;
    }
    this.#lines.push(text);
    this.#bytes += bytes;
    if (this.#isTimed) return;
    this.#isTimed = true;
    startTimer(flushMs, () => {
      this.#isTimed = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#bytes = 0;
    this.#parts.write(text);
  }
}

function startUnheldTimer(delayMs: number, run: () => void): void {
  setTimeout(run, delayMs).unref();
}
