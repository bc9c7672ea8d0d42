import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpGetAction } from '../api/pod.ts';
import { renderUrl, resolvePort, toHttpRequest } from './http-action.ts';

const container = { name: 'web', ports: [{ name: 'health', containerPort: 8081 }, { containerPort: 80 }] };
const AGENT = 'kube-probe/1.36';

function ask(action: HttpGetAction, podIp: string | undefined = '10.0.0.7') {
  const request = toHttpRequest(action, container, podIp, AGENT);
  assert.ok(request.ok, request.ok ? '' : request.message);
  return request.value;
}

describe('toHttpRequest', () => {
  it('asks the pod over plain HTTP at the root by default', () => {
    const request = ask({ port: 80 });
    assert.equal(renderUrl(request), 'http://10.0.0.7:80/');
    assert.deepEqual(request.headers, [
      ['Host', '10.0.0.7:80'],
      ['User-Agent', AGENT],
      ['Accept', '*/*'],
    ]);
  });

  it('resolves named ports, hosts, schemes and IPv6 addresses', () => {
    assert.equal(
      renderUrl(ask({ port: 'health', path: '/up?x=1#part', scheme: 'HTTPS' })),
      'https://10.0.0.7:8081/up?x=1',
    );
    assert.equal(
      renderUrl(ask({ port: 80, path: 'up', host: 'db.example' }, undefined)),
      'http://db.example:80/up',
    );
    assert.equal(renderUrl(ask({ port: 80 }, 'fd00::7')), 'http://[fd00::7]:80/');
  });

  it('lets given headers replace its own and drops those asked to be empty', () => {
    const httpHeaders = [
      { name: 'host', value: 'shop.example' },
      { name: 'ACCEPT', value: '' },
      { name: 'user-agent', value: 'me' },
      { name: 'X-Try', value: '1' },
      { name: 'X-Try', value: '2' },
    ];
    assert.deepEqual(ask({ port: 80, httpHeaders }).headers, [
      ['Host', 'shop.example'],
      ['User-Agent', 'me'],
      ['X-Try', '1'],
      ['X-Try', '2'],
    ]);
  });

  it('encodes what a request line cannot hold and keeps the rest as it is', () => {
    assert.equal(ask({ port: 80, path: '/a b/ü/%2F/../x\r\ny' }).path, '/a%20b/%C3%BC/%2F/../x%0D%0Ay');
  });

  it('fails without an address', () => {
    const request = toHttpRequest({ port: 80 }, container, undefined, AGENT);
    assert.deepEqual(request, { ok: false, message: 'the pod has no address' });
  });
});

describe('resolvePort', () => {
  it('takes numbers, names and numbers in text', () => {
    assert.deepEqual(resolvePort(80, container), { ok: true, value: 80 });
    assert.deepEqual(resolvePort('health', container), { ok: true, value: 8081 });
    assert.deepEqual(resolvePort(1, container), { ok: true, value: 1 });
    assert.deepEqual(resolvePort(65_535, container), { ok: true, value: 65_535 });
    assert.deepEqual(resolvePort('9090', container), { ok: true, value: 9090 });
  });

  it('refuses unknown names and impossible numbers with the known texts', () => {
    assert.deepEqual(resolvePort('nope', container), {
      ok: false,
      message: 'strconv.Atoi: parsing "nope": invalid syntax',
    });
    for (const port of [0, 65_536, -1])
      assert.deepEqual(resolvePort(port, container), {
        ok: false,
        message: `invalid port number: ${port}`,
      });
  });
});
