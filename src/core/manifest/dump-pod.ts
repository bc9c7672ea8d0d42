/**
 * Writes a pod as text in the form from which the upstream kubelet makes the UID of a static pod: every field
 * of the object inside Kubernetes in order, with its type, absent ones included. It is never parsed; it only has
 * to be equal, byte for byte (pod-layout.ts has the shape, stored-quantity.ts the numbers).
 *
 * A value that does not fit its field is written as if absent: a pod that has one is refused anyway.
 */
import { isJsonObject } from '../../base/json.ts';
import { dumpTime } from './dump-time.ts';
import { layoutOf } from './pod-layout.ts';
import {
  renderStored,
  roundToMilli,
  type StoredQuantity,
  toStoredQuantity,
  UNSET_QUANTITY,
} from './stored-quantity.ts';

/** Takes the next piece of the dump. */
export type DumpSink = (text: string) => void;

/** Writes `pod`, an object with the fields of the API; quantities may be text or stored ones. */
export function dumpPod(pod: unknown, write: DumpSink): void {
  write('(*core.Pod)');
  new PodDump(write).value(pod, 'Pod');
}

class PodDump {
  readonly #write: DumpSink;
  #depth = 0;
  /** How deep the time zone was written last, while that still counts as "around here"; see `#time`. */
  #zoneDepth: number | undefined;

  constructor(write: DumpSink) {
    this.#write = write;
  }

  value(value: unknown, type: string): void {
    if (type.startsWith('*')) this.#pointer(value, type.slice(1));
    else if (type.startsWith('[]')) this.#list(value, type.slice(2));
    else if (type === 'ResourceList') this.#map(value, (item) => this.#write(renderResource(item)));
    else if (type.startsWith('map['))
      this.#map(value, (item) => this.value(item, type.slice(type.indexOf(']') + 1)));
    else this.#single(value, type);
  }

  #pointer(value: unknown, type: string): void {
    if (this.#zoneDepth !== undefined && this.#zoneDepth >= this.#depth) this.#zoneDepth = undefined;
    if (value === undefined || value === null) this.#write('<nil>');
    else this.value(value, type);
  }

  #list(value: unknown, type: string): void {
    if (!Array.isArray(value)) {
      this.#write('<nil>');
      return;
    }
    this.#write('[');
    this.#depth += 1;
    for (const [index, item] of value.entries()) {
      if (index > 0) this.#write(' ');
      this.value(item, type);
    }
    this.#depth -= 1;
    this.#write(']');
  }

  #map(value: unknown, writeItem: (item: unknown) => void): void {
    if (!isJsonObject(value)) {
      this.#write('<nil>');
      return;
    }
    this.#write('map[');
    this.#depth += 1;
    for (const [index, key] of Object.keys(value).sort(byCodePoint).entries()) {
      this.#write(`${index > 0 ? ' ' : ''}${key}:`);
      writeItem(value[key]);
    }
    this.#depth -= 1;
    this.#write(']');
  }

  #single(value: unknown, type: string): void {
    switch (type) {
      case 'bool':
        this.#write(value === true ? 'true' : 'false');
        return;
      case 'int32':
      case 'int64':
        this.#write(typeof value === 'number' ? String(value) : '0');
        return;
      case 'intstr.IntOrString':
        this.#write(renderIntOrString(value));
        return;
      case 'resource.Quantity':
        this.#write(renderQuantity(value));
        return;
      case 'v1.Time':
        this.#time(value);
        return;
      case 'v1.FieldsV1':
        this.#write(`{Raw:([]uint8)[${new TextEncoder().encode(renderManagedFields(value)).join(' ')}]}`);
        return;
      default:
        this.#object(value, type);
    }
  }

  #object(value: unknown, type: string): void {
    const fields = layoutOf(type);
    if (fields === undefined) {
      if (typeof value === 'string') this.#write(value);
      return;
    }
    const record = isJsonObject(value) ? value : {};
    this.#write('{');
    this.#depth += 1;
    for (const [index, { label, type, name }] of fields.entries()) {
      this.#write(index > 0 ? ` ${label}` : label);
      this.value(name === undefined ? record : record[name], type);
    }
    this.#depth -= 1;
    this.#write('}');
  }

  /** The dump shows the time zone, unless it stands already in an object around this one. */
  #time(value: unknown): void {
    const depth = this.#depth + 2;
    if (this.#zoneDepth !== undefined && this.#zoneDepth >= depth) this.#zoneDepth = undefined;
    const showsZone = this.#zoneDepth === undefined;
    const { text, hasZone } = dumpTime(value, showsZone);
    if (hasZone && showsZone) this.#zoneDepth = depth;
    this.#write(text);
  }
}

/** The order of UTF-8 bytes, which UTF-16 units do not keep. */
function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  // Back to the start of a pair whose halves were parted.
  const from = at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
  return (a.codePointAt(from) ?? -1) - (b.codePointAt(from) ?? -1);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function renderIntOrString(value: unknown): string {
  const isText = typeof value === 'string';
  const number = typeof value === 'number' ? value : 0;
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${number} StrVal:(string)${isText ? value : ''}}`;
}

function renderQuantity(value: unknown): string {
  return renderStored(toStored(value));
}

/** A quantity in a list of resources: defaulting has rounded it. */
function renderResource(value: unknown): string {
  return renderStored(roundToMilli(toStored(value)));
}

function toStored(value: unknown): StoredQuantity {
  // A status is not checked like a spec: there a quantity may still be a number.
  if (typeof value === 'string' || typeof value === 'number') return toStoredQuantity(String(value));
  return isStored(value) ? value : UNSET_QUANTITY;
}

function isStored(value: unknown): value is StoredQuantity {
  return isJsonObject(value) && typeof value['value'] === 'bigint';
}

/** The API server's record of field owners (managedFields), as JSON with sorted keys. */
function renderManagedFields(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) =>
    isJsonObject(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => byCodePoint(a, b)))
      : item,
  );
  return text.replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
