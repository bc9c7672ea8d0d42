import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Header } from './header-table.ts';
import { HpackReader } from './hpack-reader.ts';
import { encodeHeaders } from './hpack-writer.ts';

const hex = (...headers: Header[]): string => encodeHeaders(headers).toString('hex');

describe('encodeHeaders', () => {
  it('uses the numbers of the standard, for a header or for its name', () => {
    assert.equal(hex([':method', 'GET'], [':scheme', 'https']), '8287');
    assert.equal(hex([':path', '/a']), '0402' + '2f61');
    assert.equal(hex(['user-agent', 'x']), '0f2b01' + '78');
    assert.equal(hex(['a', 'b']), '0001' + '61' + '01' + '62');
  });

  it('lets no one in between keep a secret in a table', () => {
    assert.equal(hex(['authorization', 'x']), '1f0801' + '78');
    for (const name of ['authorization', 'cookie', 'proxy-authorization'])
      assert.equal(encodeHeaders([[name, 'x']])[0]! & 0xf0, 0x10, name);
  });

  it('is read back, whatever the lengths', () => {
    const name = fc.stringMatching(/^[a-z!#$%&'*+.^_`|~0-9-]{1,300}$/);
    const value = fc.stringMatching(/^[\t -~\u0080-\u00ff]{0,400}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (headers) => {
        assert.deepEqual([...new HpackReader(1e6).read(encodeHeaders(headers)).headers], headers);
      }),
    );
  });

  it('refuses what HTTP does not allow, without showing the value', () => {
    for (const name of ['', 'A', 'a b', 'a:b', 'a\n', 'ä', ':'])
      assert.throws(() => hex([name, 'x']), /name/);
    for (const value of ['secret\r\nx: y', 'secret\n', 'secret\0', 'secret\u007f', 'secret\u0100', 'secret€'])
      assert.throws(
        () => hex(['a', value]),
        (error) => /"a" has a character/.test(String(error)) && !String(error).includes('secret'),
      );
  });
});
