/**
 * Field errors in the wording of the API server (`spec.containers[0].name: Invalid value: "A_b": why`), so
 * that a person meets the same words here and there. `path` uses `a.b[0]` and `labels[key]`.
 */

export interface FieldError {
  readonly path: string;
  /** The text after the path. */
  readonly message: string;
  /** The value that was refused; undefined when it is missing. */
  readonly value: unknown;
}

export function invalidValue(path: string, value: unknown, why: string): FieldError {
  return { path, value, message: `Invalid value: ${renderValue(value)}: ${why}` };
}

export function requiredValue(path: string, why = ''): FieldError {
  return { path, value: undefined, message: why === '' ? 'Required value' : `Required value: ${why}` };
}

export function duplicateValue(path: string, value: unknown): FieldError {
  return { path, value, message: `Duplicate value: ${renderValue(value)}` };
}

function unsupportedValue(path: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ');
  return { path, value, message: `Unsupported value: ${renderValue(value)}: supported values: ${list}` };
}

export function forbiddenField(path: string, why: string): FieldError {
  return { path, value: undefined, message: `Forbidden: ${why}` };
}

export function notFoundValue(path: string, value: unknown): FieldError {
  return { path, value, message: `Not found: ${renderValue(value)}` };
}

export function tooMany(path: string, count: number, limit: number): FieldError {
  return { path, value: count, message: `Too many: ${count}: must have at most ${limit} items` };
}

/** Yields one error when `value` is set to something outside `supported`. */
export function* oneOf(
  path: string,
  value: string | undefined,
  supported: readonly string[],
): Generator<FieldError> {
  if (value !== undefined && !supported.includes(value)) yield unsupportedValue(path, value, supported);
}

/** Yields one error when `value` is set to less than zero. */
export function* nonNegative(path: string, value: number | undefined): Generator<FieldError> {
  if (value !== undefined && value < 0) {
    yield invalidValue(path, value, 'must be greater than or equal to 0');
  }
}

/** Yields one error when `value` is set outside `low`..`high`. */
export function* withinRange(
  path: string,
  value: number | undefined,
  low: number,
  high: number,
): Generator<FieldError> {
  if (value !== undefined && (value < low || value > high)) {
    yield invalidValue(path, value, `must be between ${low} and ${high}, inclusive`);
  }
}

function renderValue(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
