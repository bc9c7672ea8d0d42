import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DnsConfig } from '../model/sandbox-config.ts';
import { parseResolvConf } from './resolv-conf.ts';

const cases: [text: string, expected: Partial<DnsConfig>][] = [
  ['', {}],
  ['# nameserver 1.1.1.1\n', {}],
  ['nameserver 1.1.1.1\n  nameserver\t2.2.2.2  extra\n', { servers: ['1.1.1.1', '2.2.2.2'] }],
  ['nameserver 1.1.1.1\r\n', { servers: ['1.1.1.1'] }],
  ['search a.example b.example\nsearch c.example\n', { searches: ['c.example'] }],
  ['search a.example\nsearch\n', { searches: [] }],
  ['search . a.example. b.example..\n', { searches: ['a.example', 'b.example.'] }],
  ['options ndots:1 rotate\noptions ndots:3 timeout:2\n', { options: ['ndots:3', 'rotate', 'timeout:2'] }],
  ['domain example.org\nsortlist 1.2.3.4\n', {}],
];

describe('parseResolvConf', () => {
  for (const [text, expected] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const value = { servers: [], searches: [], options: [], ...expected };
      assert.deepEqual(parseResolvConf(text), { ok: true, value });
    });
  }

  it('refuses a file of more than 10 MiB', () => {
    const most = `# ${'x'.repeat(10 * 2 ** 20 - 3)}\n`;
    assert.ok(parseResolvConf(most).ok);
    assert.ok(!parseResolvConf(`${most}#`).ok);
  });

  it('refuses a nameserver without an address', () => {
    assert.deepEqual(parseResolvConf('nameserver \n'), { ok: false, message: 'nameserver list is empty ' });
  });
});
