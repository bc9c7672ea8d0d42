import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { parseProto, toOurShape, type Value } from '../test/oracle/proto-oracle.ts';
import { parseSchema } from './proto/parse-schema.ts';
import { renderSchema } from './proto/render-schema.ts';

type Code = Readonly<Record<string, never>> & {
  readonly encode: (message: string, value: Value) => Uint8Array;
  readonly decode: (message: string, hex: string) => Value;
  readonly read: (message: string, bytes: Uint8Array) => Value;
};

const folder = mkdtempSync(join(tmpdir(), 'generate-proto-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;

const HEAD = 'syntax = "proto3"; package test.v1;';

/** The code generated for a schema, ready to call. */
async function generate(body: string): Promise<Code> {
  const wire = new URL('../src/gen/wire.ts', import.meta.url).href;
  const text = renderSchema('test.proto', parseSchema(HEAD + body)).replace("'./wire.ts'", `'${wire}'`);
  const file = join(folder, `${count++}.ts`);
  writeFileSync(file, text);
  const code = (await import(pathToFileURL(file).href)) as Record<string, (value: unknown) => unknown>;
  const read = (message: string, bytes: Uint8Array): Value => code[`decode${message}`]?.(bytes) as Value;
  return {
    ...code,
    encode: (message: string, value: Value) => code[`encode${message}`]?.(value) as Uint8Array,
    decode: (message: string, hex: string) => read(message, Buffer.from(hex, 'hex')),
    read,
  } as unknown as Code;
}

describe('generated code', () => {
  it('writes and reads every scalar as protobufjs does', async () => {
    const body =
      'message A { string a = 1; bytes b = 2; bool c = 3; int32 d = 4; uint32 e = 5; int64 f = 6; uint64 g = 7; double h = 8; fixed64 i = 9; }';
    const code = await generate(body);
    const type = parseProto(HEAD + body).lookupType('A');
    const value = {
      a: 'é',
      b: Buffer.of(0, 255),
      c: true,
      d: -1,
      e: 2 ** 32 - 1,
      f: -5,
      g: 2 ** 40,
      h: -0.5,
      i: 2 ** 50,
    };
    const read = type.decode(code.encode('A', value)) as unknown as Value;
    assert.deepEqual(toOurShape(type, read), { ...value, b: new Uint8Array(value.b) });
    assert.deepEqual(code.read('A', type.encode(value).finish()), { ...value, b: new Uint8Array(value.b) });
    assert.equal(code.encode('A', {}).length, 0);
  });

  it('saturates integers of 32 bits that do not fit', async () => {
    const code = await generate('message A { int32 a = 1; uint32 b = 2; }');
    const both = (a: number, b: number): Value => code.read('A', code.encode('A', { a, b }));
    assert.deepEqual(both(2 ** 31, 2 ** 32), { a: 2 ** 31 - 1, b: 2 ** 32 - 1 });
    assert.deepEqual(both(-(2 ** 40), -1), { a: -(2 ** 31), b: 0 });
  });

  it('repeated numbers: reads both forms, refuses packed ones that pass their end', async () => {
    const code = await generate('message A { repeated int32 a = 1; string b = 2; }');
    assert.deepEqual(code.decode('A', '0a0201020803'), { a: [1, 2, 3], b: '' });
    // One byte is declared, and it says that the number goes on in the next.
    assert.throws(() => code.decode('A', '0a018001'), RangeError);
  });

  it('oneof: the last field on the wire counts, also one with its zero value', async () => {
    const code = await generate(
      'message A { oneof x { string a = 1; int32 b = 2; } oneof y { bool c = 3; } }',
    );
    assert.deepEqual(code.decode('A', '0a0161' + '1001'), { a: undefined, b: 1, c: undefined });
    assert.deepEqual(code.decode('A', '1001' + '1800' + '0a00'), { a: '', b: undefined, c: false });
    assert.equal(Buffer.from(code.encode('A', { b: 0 })).toString('hex'), '1000');
  });

  it('optional: absent and zero differ', async () => {
    const code = await generate('message A { optional int32 a = 1; int32 b = 2; }');
    assert.deepEqual(code.decode('A', ''), { a: undefined, b: 0 });
    assert.equal(Buffer.from(code.encode('A', { a: 0, b: 0 })).toString('hex'), '0800');
  });

  it('finds a type in the scopes around its use, the innermost first', async () => {
    const code = await generate(`
      message X { string top = 1; }
      message A { message X { string inner = 1; } message B { X x = 1; } }
      message C { X x = 1; }`);
    assert.deepEqual(code.decode('A_B', '0a030a0161'), { x: { inner: 'a' } });
    assert.deepEqual(code.decode('C', '0a030a0161'), { x: { top: 'a' } });
  });

  it('names fields as JSON does, takes the largest field number and skips comments and file options', async () => {
    const code = await generate(`
      option go_package = "https://example.com/x"; // with // slashes
      message A { string long_name_2 = 536870911 [deprecated = true]; reserved 2, 4 to 6; }`);
    const bytes = code.encode('A', { longName2: 'a' });
    assert.equal(Buffer.from(bytes).toString('hex'), 'faffffff0f0161');
    assert.deepEqual(code.read('A', bytes), { longName2: 'a' });
  });

  it('services: unary and streaming calls', async () => {
    const code = await generate(
      'message A {} message B {} service S { rpc One(A) returns (B) {} rpc Many(A) returns (stream B) {} }',
    );
    const { One, Many } = code['S'] as unknown as Record<string, Record<string, unknown>>;
    assert.equal(One?.['serverStreaming'], false);
    assert.equal(Many?.['serverStreaming'], true);
    assert.equal(Many?.['encodeRequest'], code['encodeA']);
    assert.equal(Many?.['decodeResponse'], code['decodeB']);
  });
});

describe('generator', () => {
  const refused: readonly (readonly [what: string, body: string, message: RegExp])[] = [
    ['an import', 'import "other.proto";', /unknown construct import/],
    ['an extension', 'message A {} extend A { string x = 100; }', /unknown construct extend/],
    ['a range of extensions', 'message A { extensions 100 to 199; }', /expected a name, got 100/],
    ['a group', 'message A { group G = 1 { string a = 2; } }', /expected ;, got {/],
    ['a label of proto2', 'message A { required string a = 1; }', /expected =, got a/],
    ['a block comment', '/* x */ message A {}', /unknown construct \//],
    ['a block comment in a message', 'message A { /* x */ string a = 1; }', /no type/],
    ['a type without codec', 'message A { sint32 a = 1; }', /unknown type sint32/],
    ['a name every object has', 'message A { toString a = 1; }', /unknown type toString/],
    ['a type that is declared nowhere', 'message A { B b = 1; }', /unknown type B in A/],
    ['a type of another file', 'message A { google.protobuf.Any a = 1; }', /no type/],
    ['a map of numbers', 'message A { map<int32, string> a = 1; }', /expected string, got int32/],
    ['a map of messages', 'message A { map<string, A> a = 1; }', /expected string, got A/],
    [
      'a field option that changes the wire',
      'message A { repeated int32 a = 1 [packed = false]; }',
      /packed/,
    ],
    ['a field option that renames', 'message A { string a = 1 [json_name = "b"]; }', /json_name/],
    ['a message option', 'message A { option message_set_wire_format = true; }', /decimal number, got true/],
    ['an enum option', 'enum E { option allow_alias = true; A = 0; B = 0; }', /expected =, got allow_alias/],
    ['an enum that does not start with zero', 'enum E { A = 1; }', /does not start with zero/],
    ['two names for a number of an enum', 'enum E { A = 0; B = 0; }', /appears twice: 0/],
    ['a hexadecimal number', 'message A { string a = 0x10; }', /decimal number, got 0x10/],
    ['an octal number', 'message A { string a = 010; }', /decimal number, got 010/],
    ['field number zero', 'message A { string a = 0; }', /the number 0/],
    ['a field number that is reserved', 'message A { string a = 19000; }', /the number 19000/],
    ['a field number beyond the largest', 'message A { string a = 536870912; }', /the number 536870912/],
    ['a field number twice', 'message A { string a = 1; string b = 1; }', /appears twice: 1/],
    ['two fields with one JSON name', 'message A { string a_b = 1; string aB = 2; }', /appears twice: aB/],
    ['two types with one name', 'message A_B {} message A { enum B { X = 0; } }', /appears twice: A_B/],
    ['a repeated field in a oneof', 'message A { oneof x { repeated string a = 1; } }', /expected =, got a/],
    ['a map in a oneof', 'message A { oneof x { map<string, string> a = 1; } }', /expected a name, got </],
    ['a client stream', 'message A {} service S { rpc X(stream A) returns (A) {} }', /expected \), got A/],
    [
      'a call with options',
      'message A {} service S { rpc X(A) returns (A) { option x = 1; } }',
      /expected }/,
    ],
    ['a call of an unknown message', 'service S { rpc X(A) returns (A) {} }', /unknown message A in S/],
    ['a file that stops', 'message A { string a = 1;', /unexpected end of file/],
  ];
  for (const [what, body, message] of refused)
    it(`refuses ${what}`, () => assert.throws(() => renderSchema('x', parseSchema(HEAD + body)), message));

  it('refuses a schema of proto2, and one that does not say', () => {
    assert.throws(() => parseSchema('syntax = "proto2"; message A {}'), /expected "proto3", got "proto2"/);
    assert.throws(() => parseSchema('message A {}'), /expected syntax, got message/);
  });
});
