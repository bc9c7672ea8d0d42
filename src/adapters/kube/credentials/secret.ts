/**
 * A secret text that does not print itself: logging, JSON and inspection show
 * a placeholder. Only reveal() gives it out, at the place that sends it.
 */

const HIDDEN = '(hidden)';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }
}
