/**
 * Our generated protobuf code beside protobufjs, which reads the same .proto
 * files with a parser and a codec of its own. A `Pair` is one message in both.
 */
import { readdirSync, readFileSync } from 'node:fs';
import protobuf from 'protobufjs';

export type Value = Readonly<Record<string, unknown>>;

export interface Pair {
  /** `file Message`. */
  readonly name: string;
  readonly type: protobuf.Type;
  readonly encode: (value: Value) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Value;
}

export interface OracleSchema {
  readonly file: string;
  readonly root: protobuf.Root;
  /** Exports of src/gen/<file>.ts. */
  readonly ours: Readonly<Record<string, unknown>>;
}

const folder = new URL('../../proto/', import.meta.url);

export async function readSchemas(): Promise<OracleSchema[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.proto'));
  return Promise.all(
    files.map(async (name) => {
      const file = name.replace(/\.proto$/, '');
      const ours = (await import(`../../src/gen/${file}.ts`)) as Record<string, unknown>;
      return { file, root: parseProto(readFileSync(new URL(name, folder), 'utf8')), ours };
    }),
  );
}

/** Fields keep the names of the file. */
export function parseProto(text: string): protobuf.Root {
  const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
  root.resolveAll();
  return root;
}

function toJsonName(name: string): string {
  const [first = '', ...rest] = name.split('_');
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Every message of a schema, nested ones included. */
export function listTypes(space: protobuf.NamespaceBase): protobuf.Type[] {
  return space.nestedArray.flatMap((entry) => [
    ...(entry instanceof protobuf.Type ? [entry] : []),
    ...(entry instanceof protobuf.Namespace ? listTypes(entry) : []),
  ]);
}

/** The name our generator gives to a type: `Outer_Inner`. */
export function toOurName(type: protobuf.ReflectionObject): string {
  const { parent } = type;
  return parent instanceof protobuf.Type ? `${toOurName(parent)}_${type.name}` : type.name;
}

export function listPairs(schemas: readonly OracleSchema[]): Pair[] {
  return schemas.flatMap(({ file, root, ours }) => listTypes(root).map((type) => toPair(file, type, ours)));
}

export function toPair(file: string, type: protobuf.Type, ours: OracleSchema['ours']): Pair {
  const name = toOurName(type);
  const encode = ours[`encode${name}`] as Pair['encode'];
  const decode = ours[`decode${name}`] as Pair['decode'];
  return { name: `${file} ${name}`, type, encode, decode };
}

/** A message as our decoder has it, from one of protobufjs: zero values filled in, longs as numbers. */
export function toOurShape(type: protobuf.Type, message: Value): Value {
  return Object.fromEntries(
    type.fieldsArray.map((field) => [toJsonName(field.name), toFieldShape(field, message)] as const),
  );
}

function toFieldShape(field: protobuf.Field, message: Value): unknown {
  const value = Object.hasOwn(message, field.name) ? message[field.name] : undefined;
  if (field instanceof protobuf.MapField) return Object.fromEntries(Object.entries(value ?? {}));
  if (field.repeated) return ((value ?? []) as unknown[]).map((item) => toItemShape(field, item));
  const isOptional = field.partOf !== null || field.resolvedType instanceof protobuf.Type;
  if (value === undefined || value === null) return isOptional ? undefined : toZero(field);
  return toItemShape(field, value);
}

function toItemShape(field: protobuf.Field, value: unknown): unknown {
  if (field.resolvedType instanceof protobuf.Type) return toOurShape(field.resolvedType, value as Value);
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (typeof value === 'object') return (value as { toNumber(): number }).toNumber() + 0;
  // Zero has one sign here: a negative one is left out by an encoder that tests for falsehood.
  return typeof value === 'number' ? value + 0 : value;
}

function toZero(field: protobuf.Field): unknown {
  if (field.type === 'string') return '';
  if (field.type === 'bytes') return new Uint8Array(0);
  return field.type === 'bool' ? false : 0;
}
