/**
 * The answer of a rule that may refuse: a value, or the exact text the user
 * sees. Refusals are expected (a bad hostname, a missing key), so they are
 * values and never exceptions.
 */

export interface Refusal {
  readonly ok: false;
  readonly message: string;
}

export type Outcome<T> = { readonly ok: true; readonly value: T } | Refusal;

export function accept<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(message: string): Refusal {
  return { ok: false, message };
}
