/**
 * A number of a manifest whose text says more than its value: `1.50` in JSON, or one with too many digits to
 * be exact. Quantities keep the text; everywhere else it is the plain number.
 */
export class SpelledNumber {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** `value` itself when its own text is `text`. */
export function spellNumber(value: number, text: string): number | SpelledNumber {
  return String(value) === text ? value : new SpelledNumber(value, text);
}
