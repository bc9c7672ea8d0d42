/**
 * Cuts a byte stream into lines and parses each as JSON. Bytes are joined
 * before they are decoded, so that a character cut by a packet stays whole.
 */

/** Far above what the API server stores (about 1.5 MiB): a line without end is a confused peer. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEW_LINE = 0x0a;

export class JsonLines {
  readonly #onValue: (value: unknown) => void;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(onValue: (value: unknown) => void) {
    this.#onValue = onValue;
  }

  /** Throws when a line is not JSON or too long, and whatever onValue throws. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      this.#flush();
    }
    // A copy of the rest: a slice would keep the whole chunk alive while the stream is silent.
    if (start < chunk.length) this.#keep(Buffer.from(chunk.subarray(start)));
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > MAX_LINE_BYTES) throw new Error(`a line is longer than ${MAX_LINE_BYTES} bytes`);
    this.#parts.push(part);
  }

  #flush(): void {
    const line = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts, this.#size);
    this.#parts = [];
    this.#size = 0;
    const text = line?.toString('utf8').trim() ?? '';
    if (text !== '') this.#onValue(JSON.parse(text) as unknown);
  }
}
