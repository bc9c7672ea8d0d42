/**
 * A pod, as JSON has it, in the protobuf encoding of the API. What the JSON
 * leaves out is left out; a value of another type than its field, and a field
 * that the table does not know, is left out too: the pod is what its source
 * delivered, and the rest of it is still worth having.
 */
import { Writer } from '../../gen/wire.ts';
import { POD_FIELDS } from './pod-fields.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly tag: number;
  /** A scalar, or the name of a message. */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
}

type Schema = ReadonlyMap<string, readonly Field[]>;
type WriteValue = (writer: Writer, tag: number, value: unknown) => void;

const VARINT = 0;
const LENGTH_DELIMITED = 2;
/** Entry of a map: its key is field 1, its value field 2. */
const [KEY_TAG, VALUE_TAG] = [10, 18];
const TEXT = 1;

let parsed: Schema | undefined;

/** `pod` is a Pod of the API, with or without its kind and version. */
export function encodePod(pod: object): Uint8Array {
  parsed ??= parseFields(POD_FIELDS);
  const writer = new Writer();
  writeFields(parsed, writer, 'Pod', toObject(pod));
  return writer.finish();
}

function parseFields(text: string): Schema {
  const lines = text.replaceAll('\n  ', ' ').trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [message = '', fields = ''] = line.split(/: ?/, 2);
      return [message, fields === '' ? [] : fields.split(', ').map(parseField)];
    }),
  );
}

function parseField(text: string): Field {
  const [name = '', number = '', type = ''] = text.split(' ');
  const shape = type.endsWith('[]') ? 'list' : type.endsWith('{}') ? 'map' : 'one';
  const base = shape === 'one' ? type : type.slice(0, -2);
  const wireType = base === 'int' || base === 'bool' ? VARINT : LENGTH_DELIMITED;
  return {
    name,
    tag: Number(number) * 8 + (shape === 'map' ? LENGTH_DELIMITED : wireType),
    type: base,
    shape,
  };
}

function writeFields(schema: Schema, writer: Writer, message: string, value: JsonObject): void {
  for (const { name, tag, type, shape } of schema.get(message) ?? []) {
    const write = toWriter(schema, type);
    if (name === '*') write(writer, tag, value);
    else if (!Object.hasOwn(value, name)) continue;
    else if (shape === 'one') write(writer, tag, value[name]);
    else if (shape === 'list') for (const one of toList(value[name])) write(writer, tag, one);
    else writeMap(writer, tag, toObject(value[name]), write);
  }
}

/** By key: the same pod is always the same bytes. */
function writeMap(writer: Writer, tag: number, map: JsonObject, write: WriteValue): void {
  for (const key of Object.keys(map).sort()) {
    const at = writer.open(tag);
    writer.string(KEY_TAG, key);
    write(writer, VALUE_TAG, map[key]);
    writer.close(at);
  }
}

const SCALARS: Readonly<Record<string, WriteValue>> = {
  string: (writer, tag, value) => {
    if (typeof value === 'string') writer.string(tag, value);
  },
  bool: (writer, tag, value) => {
    if (typeof value === 'boolean') writer.bool(tag, value);
  },
  int: (writer, tag, value) => {
    if (Number.isSafeInteger(value)) writer.int64(tag, Number(value));
  },
  quantity: (writer, tag, value) => {
    if (typeof value === 'string' || typeof value === 'number')
      nest(writer, tag, () => writer.string(10, String(value)));
  },
  time: (writer, tag, value) => {
    const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(ms)) return;
    nest(writer, tag, () => {
      writer.int64(8, Math.floor(ms / 1000));
      writer.int64(16, 0);
    });
  },
  port: (writer, tag, value) => {
    const isText = typeof value === 'string';
    if (!isText && !Number.isSafeInteger(value)) return;
    nest(writer, tag, () => {
      writer.int64(8, isText ? TEXT : 0);
      writer.int64(16, isText ? 0 : Number(value));
      writer.string(26, isText ? value : '');
    });
  },
  raw: (writer, tag, value) => {
    nest(writer, tag, () => writer.string(10, JSON.stringify(toObject(value))));
  },
};

function toWriter(schema: Schema, type: string): WriteValue {
  return (
    SCALARS[type] ??
    ((writer, tag, value) => {
      if (isObject(value)) nest(writer, tag, () => writeFields(schema, writer, type, value));
    })
  );
}

function nest(writer: Writer, tag: number, write: () => void): void {
  const at = writer.open(tag);
  write();
  writer.close(at);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
