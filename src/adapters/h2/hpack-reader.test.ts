import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HeaderTable } from './header-table.ts';
import { HpackError, HpackReader } from './hpack-reader.ts';
import { encodeHeaders } from './hpack-writer.ts';
import { decodeHuffman } from './huffman.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const read = (reader: HpackReader, block: string): [string, string][] => [...reader.read(hex(block)).headers];

describe('decodeHuffman', () => {
  it('reads the examples of RFC 7541', () => {
    const examples = {
      'f1e3 c2e5 f23a 6ba0 ab90 f4ff': 'www.example.com',
      'a8eb 1064 9cbf': 'no-cache',
      '25a8 49e9 5bb8 e8b4 bf': 'custom-value',
      'd07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff': 'Mon, 21 Oct 2013 20:13:21 GMT',
      '': '',
    };
    for (const [bytes, text] of Object.entries(examples)) assert.equal(decodeHuffman(hex(bytes)), text);
  });

  it('refuses padding of a byte or more, padding with zeros, and the end of a string in its middle', () => {
    for (const bytes of ['a8eb 1064 9cbf ff', '00', 'ffff ffff'])
      assert.equal(decodeHuffman(hex(bytes)), undefined);
  });
});

describe('HpackReader', () => {
  it('reads requests of RFC 7541 one after the other, with and without Huffman', () => {
    const blocks = {
      plain: ['8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d', '8286 84be 5808 6e6f 2d63 6163 6865'],
      coded: ['8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff', '8286 84be 5886 a8eb 1064 9cbf'],
    };
    for (const [first = '', second = ''] of Object.values(blocks)) {
      const reader = new HpackReader(60_000);
      const head = [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
        [':authority', 'www.example.com'],
      ];
      assert.deepEqual(read(reader, first), head);
      assert.deepEqual(read(reader, second), [...head, ['cache-control', 'no-cache']]);
    }
  });

  it('reads what the writer wrote, whatever its length', () => {
    const name = fc.stringMatching(/^[a-z-]{1,300}$/);
    const value = fc.stringMatching(/^[ -~]{0,400}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (headers) => {
        const { headers: seen } = new HpackReader(1e6).read(encodeHeaders(headers));
        assert.deepEqual([...seen], headers);
      }),
    );
  });

  it('says so when headers are more than allowed, and keeps what they numbered', () => {
    const reader = new HpackReader(100);
    // The same numbered header again and again: few bytes that stand for many.
    const flood = Buffer.concat([hex('4001 61 05 7878 7878 78'), Buffer.alloc(1000, 0xbe)]);
    const { headers, isTooLarge } = reader.read(flood);
    assert.ok(isTooLarge);
    assert.deepEqual([...headers], [['a', 'xxxxx']]);
    assert.deepEqual(read(reader, 'be'), [['a', 'xxxxx']]);
  });

  it('refuses what is cut off, unknown or too large', () => {
    const wrong = [
      '80',
      'be',
      '41',
      '410f',
      '41 0f 77',
      'ff ffff ffff ffff ff7f',
      '3f e2 1f',
      '0005 61',
      '7f ff ff ff ff 7f',
    ];
    for (const block of wrong) assert.throws(() => read(new HpackReader(60_000), block), HpackError, block);
  });

  it('ends on any bytes, with headers or with its own error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          new HpackReader(1000).read(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof HpackError, String(error));
        }
      }),
    );
  });
});

describe('HeaderTable', () => {
  it('has the 61 headers of the standard', () => {
    const table = new HeaderTable(0);
    assert.deepEqual(table.get(1), [':authority', '']);
    assert.deepEqual(table.get(8), [':status', '200']);
    assert.deepEqual(table.get(16), ['accept-encoding', 'gzip, deflate']);
    assert.deepEqual(table.get(61), ['www-authenticate', '']);
    assert.equal(table.get(0), undefined);
    assert.equal(table.get(62), undefined);
  });

  it('forgets the oldest, and all of them for one that is too large', () => {
    const table = new HeaderTable(100);
    table.add(['a', '1']);
    table.add(['b', '2']);
    table.add(['c', '3']);
    assert.deepEqual([table.get(62), table.get(63), table.get(64)], [['c', '3'], ['b', '2'], undefined]);
    assert.equal(table.resize(101), false);
    assert.equal(table.resize(40), true);
    assert.deepEqual([table.get(62), table.get(63)], [['c', '3'], undefined]);
    table.add(['d', 'x'.repeat(40)]);
    assert.equal(table.get(62), undefined);
  });
});
