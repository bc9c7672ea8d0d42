/**
 * Reads fields of an untyped document and gathers what is wrong with them,
 * each complaint with its path. A field of the wrong type reads as absent.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined for anything but a map. */
export function toFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export class FieldReader {
  readonly #fields: Fields;
  readonly #path: string;
  readonly #problems: string[];

  /** Complaints are pushed to `problems`. */
  constructor(fields: Fields, path: string, problems: string[]) {
    this.#fields = fields;
    this.#path = path;
    this.#problems = problems;
  }

  complain(name: string, why: string): void {
    const at = [this.#path, name].filter((part) => part !== '').join('.');
    this.#problems.push(`${at}: ${why}`);
  }

  /** Empty when absent. */
  text(name: string): string {
    const value = this.#fields[name] ?? '';
    if (typeof value === 'string') return value;
    this.complain(name, 'want a string');
    return '';
  }

  flag(name: string): boolean | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined || typeof value === 'boolean') return value;
    this.complain(name, 'want true or false');
    return undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#fields[name] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.complain(name, 'want a list of strings');
    return [];
  }

  child(name: string): FieldReader | undefined {
    const value = this.#fields[name] ?? undefined;
    if (value === undefined) return undefined;
    return this.#inner(value, name);
  }

  children(name: string): FieldReader[] {
    const value = this.#fields[name] ?? [];
    if (Array.isArray(value)) return value.map((item, index) => this.#inner(item, `${name}[${index}]`));
    this.complain(name, 'want a list');
    return [];
  }

  /** Complains about every field that is not among `names`. */
  refuseOthers(names: readonly string[]): void {
    for (const name of Object.keys(this.#fields))
      if (!names.includes(name)) this.complain(name, 'is not known');
  }

  #inner(value: unknown, name: string): FieldReader {
    const fields = toFields(value);
    if (fields === undefined) this.complain(name, 'want an object');
    const path = [this.#path, name].filter((part) => part !== '').join('.');
    return new FieldReader(fields ?? {}, path, this.#problems);
  }
}
