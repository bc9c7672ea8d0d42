import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseProxy } from './choose-proxy.ts';

describe('chooseProxy', () => {
  const proxy = 'http://proxy:3128';
  const cases: readonly [server: string, noProxy: string, proxied: boolean][] = [
    ['https://api.example.com:6443', '', true],
    ['https://api.example.com:6443', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://api.example.com:6443', 'api.example.com:6443', false],
    ['https://api.example.com:6443', 'api.example.com:443', true],
    ['https://10.1.2.3:6443', '10.0.0.0/8', false],
    ['https://11.1.2.3:6443', '10.0.0.0/8', true],
    ['https://[fd00::1]:6443', 'fd00::/8', false],
    ['https://10.1.2.3:6443', '10.1.2.3', false],
    ['https://10.1.2.3:6443', 'bad/prefix, *', false],
    ['https://localhost:6443', '', false],
    ['https://127.0.0.1:6443', '', false],
    ['https://[::1]:6443', '', false],
  ];
  for (const [server, noProxy, proxied] of cases)
    it(`${server} goes ${proxied ? 'through the proxy' : 'direct'} with NO_PROXY "${noProxy}"`, () => {
      const chosen = chooseProxy(new URL(server), { HTTPS_PROXY: proxy, NO_PROXY: noProxy });
      assert.equal(chosen?.host, proxied ? 'proxy:3128' : undefined);
    });

  it('reads the variable of the scheme, in either case, with or without a scheme of its own', () => {
    assert.equal(chooseProxy(new URL('http://a'), { HTTPS_PROXY: proxy }), undefined);
    assert.equal(chooseProxy(new URL('https://a'), { https_proxy: 'proxy:1' })?.href, 'http://proxy:1/');
    assert.equal(chooseProxy(new URL('https://a'), {}), undefined);
  });
});
