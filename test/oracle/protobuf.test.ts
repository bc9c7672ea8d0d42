/**
 * protobufjs as the judge of our protobuf codec: every message of every
 * schema, both directions. CASES random messages in total (1,000 unless set;
 * `make oracle` runs 10,000).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { findFieldStarts, insertUnknownFields } from './damage-bytes.ts';
import { listPairs, type Pair, readSchemas, toOurName, toOurShape, type Value } from './proto-oracle.ts';
import { toRandomMessage } from './random-message.ts';

const { CASES = '1000' } = process.env;
const schemas = await readSchemas();
const pairs = listPairs(schemas);
const casesEach = Math.ceil(Number(CASES) / pairs.length);

interface Case {
  readonly pair: Pair;
  readonly value: Value;
  /** What protobufjs encodes it to. */
  readonly theirs: Uint8Array;
  /** A random number, to choose a place in the bytes with. */
  readonly choice: number;
}

const cases: readonly Case[] = pairs.flatMap((pair) =>
  fc
    .sample(fc.tuple(toRandomMessage(pair.type), fc.nat()), casesEach)
    .map(([value, choice]) => ({ pair, value, choice, theirs: pair.type.encode(value).finish() })),
);

function forAllCases(check: (example: Case) => void): void {
  for (const example of cases)
    try {
      check(example);
    } catch (error) {
      const bytes = Buffer.from(example.theirs).toString('hex');
      throw new Error(`${example.pair.name} ${bytes} ${example.choice}`, { cause: error });
    }
}

/** What decoding gives, or the error it throws. */
function attempt<T>(decode: () => T): T | Error {
  try {
    return decode();
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
}

describe('protobuf codec beside protobufjs', () => {
  it('has every message of every schema', () => {
    assert.equal(schemas.length, 10);
    assert.ok(pairs.length > 150, String(pairs.length));
    for (const { name, encode, decode } of pairs) {
      assert.equal(typeof encode, 'function', name);
      assert.equal(typeof decode, 'function', name);
    }
  });

  it('is read by protobufjs as it was meant', () => {
    forAllCases(({ pair, value }) => {
      const ours = toOurShape(pair.type, value);
      const read = pair.type.decode(pair.encode(ours)) as unknown as Value;
      assert.deepStrictEqual(toOurShape(pair.type, read), ours);
    });
  });

  it('reads what protobufjs writes, with unknown fields between the known ones', () => {
    forAllCases(({ pair, value, theirs }) => {
      const ours = toOurShape(pair.type, value);
      assert.deepStrictEqual(plain(pair.decode(theirs)), ours);
      assert.deepStrictEqual(plain(pair.decode(insertUnknownFields(theirs))), ours);
    });
  });

  it('reads repeated and swapped fields as protobufjs does', () => {
    forAllCases(({ pair, value, theirs }) => {
      const other = pair.encode(toOurShape(pair.type, value));
      const both = Buffer.concat([theirs, other, theirs]);
      const read = pair.type.decode(both) as unknown as Value;
      assert.deepStrictEqual(plain(pair.decode(both)), toOurShape(pair.type, read));
    });
  });

  // Not judged by protobufjs, which takes some strings and numbers that are cut.
  it('refuses a message cut inside a field, and accepts one cut between two', () => {
    forAllCases(({ pair, theirs, choice }) => {
      const size = choice % (theirs.length + 1);
      const cut = theirs.slice(0, size);
      const read = attempt(() => pair.decode(cut));
      assert.equal(read instanceof Error, !findFieldStarts(theirs).includes(size), `${size} bytes`);
      if (read instanceof Error) assert.ok(read instanceof RangeError, read.stack);
    });
  });

  it('throws RangeError alone on damaged bytes', () => {
    forAllCases(({ pair, theirs, choice }) => {
      const damaged = new Uint8Array(theirs);
      if (damaged.length > 0) damaged[choice % damaged.length] = choice >>> 8;
      const read = attempt(() => pair.decode(damaged));
      if (read instanceof Error) assert.ok(read instanceof RangeError, read.stack);
    });
  });

  it('allocates nothing for a length that the bytes do not have', () => {
    const before = process.memoryUsage().arrayBuffers;
    for (const pair of pairs)
      for (const field of pair.type.fieldsArray) {
        const tag = protobuf.Writer.create()
          .uint32(field.id * 8 + 2)
          .finish();
        for (const size of ['ffffffff0f', 'ffffffff07', '80808001', 'ffffffffffffffffff01']) {
          const bytes = Buffer.concat([tag, Buffer.from(size, 'hex'), Buffer.from('00')]);
          assert.throws(() => pair.decode(bytes), RangeError, `${pair.name} ${field.name}`);
        }
      }
    assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 2 ** 20);
  });

  it('has the enums and the calls of the schemas', () => {
    for (const { ours, root } of schemas) {
      for (const found of listAll(root, protobuf.Enum))
        assert.deepEqual({ ...(ours[toOurName(found)] as object) }, found.values, found.fullName);
      for (const service of listAll(root, protobuf.Service)) {
        const calls = ours[service.name] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
        assert.deepEqual(Object.keys(calls), Object.keys(service.methods));
        assert.equal(service.fullName, `.${ours['PACKAGE']}.${service.name}`);
        for (const method of service.methodsArray)
          assert.deepEqual(calls[method.name], {
            service: service.name,
            name: method.name,
            serverStreaming: method.responseStream === true,
            encodeRequest: ours[`encode${method.requestType}`],
            decodeResponse: ours[`decode${method.responseType}`],
          });
      }
    }
  });
});

/** Zero with one sign, as in `toOurShape`. */
function plain(value: Value): Value {
  return normalise(value) as Value;
}

function normalise(value: unknown): unknown {
  if (typeof value === 'number') return value + 0;
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(normalise);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalise(item)]));
}

function listAll<T extends protobuf.ReflectionObject>(
  space: protobuf.NamespaceBase,
  kind: abstract new (...args: never[]) => T,
): T[] {
  return space.nestedArray.flatMap((entry) => [
    ...(entry instanceof kind ? [entry] : []),
    ...(entry instanceof protobuf.Namespace ? listAll(entry, kind) : []),
  ]);
}
