/**
 * Turns an untyped document (or a merged patch) into the fields we know, with the right types.
 * Sits between reading a file and defaulting; it neither defaults nor checks ranges.
 * Invariants: the result holds only known fields; `null` means unset; one bad field never hides another.
 */
import { formatQuantity, tryParseQuantity } from '../../core/api/quantity.ts';
import { CONFIG_PATHS, type FieldType, fieldSpec, plainType } from './config-fields.ts';
import { isConfigObject, type JsonObject, type JsonValue, mergePatch, withValueAt } from './json-value.ts';
import type { ConfigPath } from './kubelet-configuration.ts';
import { formatDuration, parseDuration } from './parse-duration.ts';

/** A value of the wrong type: where, what it is, what it should have been. */
export interface TypeMismatch {
  /** As written in the document, for example `registerWithTaints[0].key`. */
  readonly path: string;
  readonly value: JsonValue;
  readonly expected: string;
}

export interface DecodedConfiguration {
  readonly fields: JsonObject;
  /** Paths that no field has, as written. */
  readonly unknown: readonly string[];
  readonly mismatches: readonly TypeMismatch[];
}

export type NameMatching = 'exact' | 'ignore-case';

/** The table seen as a tree: inner nodes are objects, leaves are field paths. */
interface FieldTree {
  readonly [name: string]: FieldTree | ConfigPath;
}

const FIELD_TREE: FieldTree = CONFIG_PATHS.reduce<JsonObject>(
  (tree, path) => withValueAt(tree, path, path),
  {},
) as FieldTree;

/** Decodes a whole document; `apiVersion` and `kind` are left to the caller. */
export function decodeConfiguration(document: JsonObject, matching: NameMatching): DecodedConfiguration {
  const { apiVersion: _apiVersion, kind: _kind, ...body } = document;
  const decoder = new Decoder(matching);
  const fields = decoder.object(body, FIELD_TREE, '');
  return { fields, unknown: decoder.unknown, mismatches: decoder.mismatches };
}

class Decoder {
  readonly unknown: string[] = [];
  readonly mismatches: TypeMismatch[] = [];
  readonly #matching: NameMatching;

  constructor(matching: NameMatching) {
    this.#matching = matching;
  }

  object(source: JsonObject, tree: FieldTree, prefix: string): JsonObject {
    let result: Record<string, JsonValue> = {};
    for (const [key, value] of this.#entries(source)) {
      const name = this.#fieldName(key, tree);
      if (name === undefined) {
        this.unknown.push(prefix + key);
        continue;
      }
      if (value === null) continue;
      const decoded = this.#member(value, tree[name] ?? {}, prefix + key, result[name]);
      if (decoded !== undefined) result = { ...result, [name]: decoded };
    }
    return result;
  }

  #member(value: JsonValue, node: FieldTree | ConfigPath, path: string, earlier: JsonValue | undefined) {
    if (typeof node === 'string') return this.#value(value, fieldSpec(node).type, path);
    if (!isConfigObject(value)) {
      this.mismatches.push({ path, value, expected: 'an object' });
      return undefined;
    }
    // Two spellings of one object name ("Logging" and "logging") fill the same object.
    const decoded = this.object(value, node, `${path}.`);
    return mergePatch(earlier, decoded);
  }

  /** Case-insensitive decoding reads keys in byte order, so of two spellings the later one wins. */
  #entries(source: JsonObject): ReadonlyArray<[string, JsonValue]> {
    const entries = Object.entries(source);
    if (this.#matching === 'exact') return entries;
    return entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }

  #fieldName(key: string, tree: FieldTree): string | undefined {
    if (Object.hasOwn(tree, key)) return key;
    if (this.#matching === 'exact') return undefined;
    const lower = key.toLowerCase();
    return Object.keys(tree).find((name) => name.toLowerCase() === lower);
  }

  #value(value: JsonValue, type: FieldType, path: string): JsonValue | undefined {
    switch (plainType(type)) {
      case 'strings':
        return this.#list(value, path, (item, at) => this.#scalar(item, 'string', at));
      case 'int32s':
        return this.#list(value, path, (item, at) => this.#scalar(item, 'int32', at));
      case 'stringMap':
        return this.#map(value, path, (item, at) => this.#scalar(item, 'string', at));
      case 'boolMap':
        return this.#map(value, path, (item, at) => this.#scalar(item, 'bool', at));
      case 'stringsMap':
        return this.#map(value, path, (item, at) => this.#value(item, 'strings', at));
      case 'taints':
        return this.#records(value, path, {
          key: 'string',
          value: 'string*',
          effect: 'string',
          timeAdded: 'string*',
        });
      case 'memoryReservations':
        return this.#records(value, path, { numaNode: 'int32', limits: 'quantityMap' });
      case 'shutdownPeriods':
        return this.#records(value, path, { priority: 'int32', shutdownGracePeriodSeconds: 'int64' });
      case 'verbosityPatterns':
        return this.#records(value, path, { filePattern: 'string', verbosity: 'uint32' });
      default:
        return this.#scalar(value, plainType(type), path);
    }
  }

  #scalar(value: JsonValue, type: string, path: string): JsonValue | undefined {
    const decoded = SCALARS[type]?.read(value);
    if (decoded === undefined) {
      this.mismatches.push({ path, value, expected: SCALARS[type]?.expected ?? type });
    }
    return decoded;
  }

  #list(value: JsonValue, path: string, read: ItemReader): JsonValue | undefined {
    if (!Array.isArray(value)) {
      this.mismatches.push({ path, value, expected: 'a list' });
      return undefined;
    }
    return value.flatMap((item: JsonValue, index) => read(item, `${path}[${index}]`) ?? []);
  }

  #map(value: JsonValue, path: string, read: ItemReader): JsonValue | undefined {
    if (!isConfigObject(value)) {
      this.mismatches.push({ path, value, expected: 'a map' });
      return undefined;
    }
    const entries = Object.entries(value).flatMap(([key, item]): [string, JsonValue][] => {
      const decoded = read(item, `${path}.${key}`);
      return decoded === undefined ? [] : [[key, decoded]];
    });
    return Object.fromEntries(entries);
  }

  #records(value: JsonValue, path: string, members: Readonly<Record<string, string>>) {
    if (!Array.isArray(value)) {
      this.mismatches.push({ path, value, expected: 'a list' });
      return undefined;
    }
    return value.flatMap((item: JsonValue, index) => this.#record(item, `${path}[${index}]`, members) ?? []);
  }

  #record(item: JsonValue, path: string, members: Readonly<Record<string, string>>): JsonValue | undefined {
    if (!isConfigObject(item)) {
      this.mismatches.push({ path, value: item, expected: 'an object' });
      return undefined;
    }
    const result: Record<string, JsonValue> = {};
    for (const [name, type] of Object.entries(members))
      if (!type.endsWith('*')) result[name] = ZERO[type] ?? 0;
    for (const [key, value] of this.#entries(item)) {
      const name = this.#fieldName(key, members as unknown as FieldTree);
      if (name === undefined) this.unknown.push(`${path}.${key}`);
      else if (value !== null) {
        const decoded = this.#recordMember(value, (members[name] ?? '').replace('*', ''), `${path}.${key}`);
        if (decoded !== undefined) result[name] = decoded;
      }
    }
    return result;
  }

  #recordMember(value: JsonValue, type: string, path: string): JsonValue | undefined {
    if (type !== 'quantityMap') return this.#scalar(value, type, path);
    return this.#map(value, path, (item, at) => this.#scalar(item, 'quantity', at));
  }
}

type ItemReader = (item: JsonValue, path: string) => JsonValue | undefined;

const ZERO: Readonly<Record<string, JsonValue>> = { string: '', quantityMap: {} };

const DURATION_TEXT = 'a duration such as "1m30s"';

interface ScalarReader {
  readonly expected: string;
  readonly read: (value: JsonValue) => JsonValue | undefined;
}

const SCALARS: Readonly<Record<string, ScalarReader>> = {
  bool: { expected: 'true or false', read: (value) => (typeof value === 'boolean' ? value : undefined) },
  string: { expected: 'a string', read: (value) => (typeof value === 'string' ? value : undefined) },
  float: { expected: 'a number', read: (value) => (typeof value === 'number' ? value : undefined) },
  int32: integerReader('int32', -(2 ** 31), 2 ** 31 - 1),
  uint32: integerReader('uint32', 0, 2 ** 32 - 1),
  int64: integerReader('int64', -(2 ** 63), 2 ** 63 - 1),
  duration: { expected: DURATION_TEXT, read: readDuration },
  durationOrNanos: { expected: `${DURATION_TEXT} or nanoseconds`, read: readDurationOrNanos },
  quantity: { expected: 'a quantity such as "10Mi"', read: readQuantity },
};

function integerReader(name: string, min: number, max: number): ScalarReader {
  return {
    expected: `an integer (${name})`,
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
        ? value
        : undefined,
  };
}

function readDuration(value: JsonValue): JsonValue | undefined {
  return typeof value === 'string' ? parseDuration(value) : undefined;
}

function readDurationOrNanos(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'number') return readDuration(value);
  return Number.isInteger(value) ? formatDuration(BigInt(value)) : undefined;
}

function readQuantity(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const quantity = tryParseQuantity(String(value));
  return quantity === undefined ? undefined : formatQuantity(quantity);
}
