/** The words and signs of a .proto file, without its comments. */
import { refuse } from './schema.ts';

const TOKEN = /\/\/[^\n]*|"[^"\n]*"|[A-Za-z_][\w.]*|-?\d\w*|\S/g;

export class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = (text.match(TOKEN) ?? []).filter((token) => !token.startsWith('//'));
  }

  get atEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  next(): string {
    return this.#tokens[this.#at++] ?? refuse('unexpected end of file');
  }

  /** Takes the next token if it is this one. */
  take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  expect(...wanted: readonly string[]): void {
    for (const token of wanted) {
      const got = this.next();
      if (got !== token) refuse(`expected ${token}, got ${got}`);
    }
  }

  /** A name without dots: types of other files are not known here. */
  name(): string {
    const token = this.next();
    return /^[A-Za-z_]\w*$/.test(token) ? token : refuse(`expected a name, got ${token}`);
  }

  /** Decimal only: `0x10` and `010` mean other numbers than they show. */
  integer(): number {
    const token = this.next();
    return /^(?:0|-?[1-9]\d*)$/.test(token)
      ? Number(token)
      : refuse(`expected a decimal number, got ${token}`);
  }
}
