/**
 * Random messages of any protobuf type, in the shape of protobufjs: each field
 * is absent or set, numbers lean towards the edges of their type, one field of
 * a oneof at most, and a map may have the key `__proto__`.
 */
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { anyText } from '../samples/random-text.ts';
import type { Value } from './proto-oracle.ts';

const text = anyText({ maxLength: 20 });
const key = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constant('__proto__') });
const { Long } = protobuf.util as unknown as {
  readonly Long: { fromString(text: string, unsigned: boolean): protobuf.Long };
};
const MAX_DEPTH = 4;

/** As protobufjs has them: both halves, so that no digit is lost. */
function toLong(signed: boolean): fc.Arbitrary<protobuf.Long> {
  const min = signed ? -(2n ** 63n) : 0n;
  const max = signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
  const edges = [0n, 1n, 127n, 128n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n + 1n];
  return fc
    .oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, signed ? -1n : 1n, ...edges))
    .map((value) => Long.fromString(value.toString(), !signed));
}

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.oneof(text, fc.string({ minLength: 120, maxLength: 140 })),
  bytes: fc.uint8Array({ maxLength: 200 }),
  bool: fc.boolean(),
  int32: fc.oneof(fc.integer(), fc.constantFrom(0, -1, -(2 ** 31), 2 ** 31 - 1, 127, 128)),
  uint32: fc.oneof(fc.nat(2 ** 32 - 1), fc.constantFrom(0, 127, 128, 2 ** 31, 2 ** 32 - 1)),
  int64: toLong(true),
  uint64: toLong(false),
  double: fc.double({ noNaN: true }),
  fixed64: toLong(false),
};

const known = new Map<string, fc.Arbitrary<Value>>();

export function toRandomMessage(type: protobuf.Type, depth = 0): fc.Arbitrary<Value> {
  const id = `${type.fullName} ${depth} ${type.fieldsArray.length}`;
  const found = known.get(id);
  if (found) return found;
  const fields = type.fieldsArray.map((field) => [field.name, toField(field, depth)] as const);
  const made = fc
    .tuple(fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true }), fc.nat())
    .map(([message, choice]) => keepOneOfEach(type, message, choice));
  known.set(id, made);
  return made;
}

function toField(field: protobuf.Field, depth: number): fc.Arbitrary<unknown> {
  if (field instanceof protobuf.MapField)
    return fc.dictionary(key, text, { maxKeys: 3, noNullPrototype: true });
  const one = toItem(field, depth);
  return field.repeated ? fc.array(one, { maxLength: depth === 0 ? 4 : 2 }) : one;
}

function toItem(field: protobuf.Field, depth: number): fc.Arbitrary<unknown> {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Type)
    return depth < MAX_DEPTH ? toRandomMessage(resolvedType, depth + 1) : fc.constant({});
  if (resolvedType instanceof protobuf.Enum)
    return fc.oneof(fc.constantFrom(...Object.values(resolvedType.values)), fc.integer());
  const scalar = SCALARS[field.type];
  if (scalar === undefined) throw new Error(`no random values for type ${field.type}`);
  return scalar;
}

function keepOneOfEach(type: protobuf.Type, message: Record<string, unknown>, choice: number): Value {
  const kept = { ...message };
  for (const { oneof } of type.oneofsArray)
    oneof.forEach((name, at) => {
      if (at !== choice % oneof.length) delete kept[name];
    });
  return kept;
}
