/** One parser under random input: where it starts from, and what must hold whatever comes. */

export interface FuzzTarget {
  readonly name: string;
  /** Good and nearly good inputs, which mutation starts from. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Pieces that the format gives a meaning to. */
  readonly words: readonly string[];
  /** One input takes a millisecond and not a few microseconds: `make check` tries fewer and smaller ones. */
  readonly isSlow?: boolean;
  /** Throws or rejects when an invariant is broken; what the parser is declared to throw is caught here. */
  check(input: Buffer): void | Promise<void>;
  /** Inputs of about `size` bytes that are as unpleasant as the format allows: their time must grow in step with their size. */
  readonly large: Readonly<Record<string, (size: number) => Buffer>>;
}

/** `text` repeated to about `size` bytes. */
export function fill(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length));
}
