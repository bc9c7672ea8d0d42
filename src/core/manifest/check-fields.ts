/**
 * Holds a decoded manifest against the schema: names every field the API does not know and every value of the
 * wrong type, and returns the object with those left out, nulls dropped and fields that are always present
 * filled with their zero value. What it returns therefore fits the types of core/api, whatever came in.
 */
import { isJsonObject } from '../../base/json.ts';
import { tryParseQuantity } from '../api/quantity.ts';
import { type FieldError, invalidValue } from './field/field-error.ts';
import { renderGuess } from './field/suggest-name.ts';
import { OBJECT_SCHEMAS, type ObjectSchema } from './pod-schema.ts';
import { SpelledNumber } from './spelled-number.ts';

export interface CheckedFields {
  readonly value: unknown;
  readonly errors: readonly FieldError[];
}

/** Checks `value` as the object type `type` (for instance `Pod`); never throws on any input. */
export function checkFields(value: unknown, type: string): CheckedFields {
  const errors: FieldError[] = [];
  return { value: checkValue(value, type, '', errors), errors };
}

function checkValue(value: unknown, type: string, path: string, errors: FieldError[]): unknown {
  if (type.startsWith('[')) return checkList(value, type.slice(1, -1), path, errors);
  if (type.startsWith('{')) return checkMap(value, type.slice(1, -1), path, errors);
  const schema = OBJECT_SCHEMAS.get(type);
  if (schema !== undefined) return checkObject(value, schema, path, errors);
  return checkScalar(value, type, path, errors);
}

function checkObject(value: unknown, schema: ObjectSchema, path: string, errors: FieldError[]): unknown {
  if (!isJsonObject(value)) return wrongType(value, 'a map of fields', path, errors);
  const entries: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const fieldPath = path === '' ? name : `${path}.${name}`;
    const known = schema.get(name);
    if (known === undefined) errors.push(unknownField(name, fieldPath, field, schema));
    else if (field !== null) entries.push([name, checkValue(field, known.type, fieldPath, errors)]);
  }
  const kept = new Map(entries.filter(([, field]) => field !== undefined));
  for (const [name, field] of schema) {
    if (field.required && !kept.has(name)) kept.set(name, zeroValue(field.type));
  }
  return Object.fromEntries(kept);
}

function unknownField(name: string, path: string, value: unknown, schema: ObjectSchema): FieldError {
  return { path, value, message: `unknown field${renderGuess(name, [...schema.keys()])}` };
}

function checkList(value: unknown, type: string, path: string, errors: FieldError[]): unknown {
  if (!Array.isArray(value)) return wrongType(value, 'a list', path, errors);
  // The API reads an empty item (`-`) as an object without fields; validation then says what it lacks. A wrong
  // item keeps its place as a zero value, so that the indices in later messages stay true.
  const isObject = OBJECT_SCHEMAS.get(type) !== undefined;
  return value.map((item: unknown, index) => {
    const given = item === null && isObject ? {} : item;
    const itemPath = `${path}[${index}]`;
    return (
      checkValue(given, type, itemPath, errors) ?? (isObject ? checkValue({}, type, '', []) : zeroValue(type))
    );
  });
}

function checkMap(value: unknown, type: string, path: string, errors: FieldError[]): unknown {
  if (!isJsonObject(value)) return wrongType(value, 'a map', path, errors);
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const given = item === null && type === 'string' ? '' : item;
    return [key, checkValue(given, type, `${path}[${key}]`, errors)];
  });
  // fromEntries defines own properties, so a key such as `__proto__` stays data.
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function checkScalar(given: unknown, type: string, path: string, errors: FieldError[]): unknown {
  if (type === 'quantity') return checkQuantity(given, path, errors);
  if (type === 'any') return withPlainNumbers(given);
  const value = given instanceof SpelledNumber ? given.value : given;
  switch (type) {
    case 'string':
    case 'time':
      return typeof value === 'string' ? value : wrongType(value, 'a string', path, errors);
    case 'bool':
      return typeof value === 'boolean' ? value : wrongType(value, 'true or false', path, errors);
    case 'int32':
      return checkInteger(value, 2 ** 31, path, errors);
    case 'int64':
      return checkInteger(value, Number.MAX_SAFE_INTEGER, path, errors);
    case 'intOrString':
      return typeof value === 'string' ? value : checkInteger(value, 2 ** 31, path, errors);
    default:
      throw new Error(`the pod schema names an unknown type ${JSON.stringify(type)}`);
  }
}

function checkInteger(value: unknown, limit: number, path: string, errors: FieldError[]): unknown {
  if (typeof value !== 'number') return wrongType(value, 'a whole number', path, errors);
  if (!Number.isInteger(value)) return wrongType(value, 'a whole number', path, errors);
  if (value >= -limit && value < limit) return value;
  errors.push(invalidValue(path, value, 'is out of range'));
  return undefined;
}

function withPlainNumbers(value: unknown): unknown {
  if (value instanceof SpelledNumber) return value.value;
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlainNumbers(item)]));
}

function checkQuantity(given: unknown, path: string, errors: FieldError[]): unknown {
  const value = given instanceof SpelledNumber ? given.text : given;
  if (typeof value !== 'string' && typeof value !== 'number') {
    return wrongType(value, 'a quantity such as 100m, 1.5 or 64Mi', path, errors);
  }
  const text = String(value).trim();
  if (tryParseQuantity(text) !== undefined) return text;
  errors.push(invalidValue(path, value, 'must be a quantity such as 100m, 1.5 or 64Mi'));
  return undefined;
}

function wrongType(value: unknown, expected: string, path: string, errors: FieldError[]): undefined {
  const quotable = expected === 'a string' && (typeof value === 'number' || typeof value === 'boolean');
  const advice = quotable ? ' (put the value in quotes)' : '';
  errors.push({ path, value, message: `expected ${expected}, got ${describeValue(value)}${advice}` });
  return undefined;
}

function describeValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return `${typeof value} ${JSON.stringify(value) ?? String(value)}`;
}

function zeroValue(type: string): unknown {
  if (type.startsWith('[')) return [];
  if (type.startsWith('{')) return {};
  if (type === 'bool') return false;
  return type === 'string' || type === 'time' ? '' : 0;
}
