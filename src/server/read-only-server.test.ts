import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import { silentLogger } from '../../test/fakes/text-logger.ts';
import type { Pod } from '../core/api/pod.ts';
import type { PodStatus } from '../core/api/pod-status.ts';
import { PING } from './health/health-check.ts';
import type { HttpListener } from './http/http-listener.ts';
import { createReadOnlyServer } from './read-only-server.ts';

const clock = new FakeClock();
const log = silentLogger;
const checks = [PING, { name: 'syncloop', check: () => 'stuck' }];
let pods: readonly Pod[] = [];
const statuses = new Map<Pod, PodStatus>();

function makePod(name: string, status?: PodStatus): Pod {
  const metadata = { name, namespace: 'default', uid: `uid-${name}` };
  const spec = { containers: [{ name: 'c', image: 'busybox' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, ...(status === undefined ? {} : { status }) };
}

describe('createReadOnlyServer', () => {
  let listener: HttpListener;
  let origin: string;
  before(async () => {
    const none = () => Promise.reject(new Error('nothing is read here'));
    const listing = { listPods: () => pods, statusOf: (pod: Pod) => statuses.get(pod) };
    listener = createReadOnlyServer({
      place: { address: '127.0.0.1', port: 0 },
      answers: { checks, pods: listing, statistics: { read: none, readUsage: none, readDetails: none } },
      kit: { clock, logger: log },
    });
    origin = `http://127.0.0.1:${await listener.start()}`;
  });
  after(() => listener.stop());

  it('lists no pods as null', async () => {
    pods = [];
    const response = await fetch(`${origin}/pods`);
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.equal(await response.text(), '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":null}\n');
  });

  it('lists each pod with its latest status, kind and version on the list only', async () => {
    const arrived = makePod('a', { phase: 'Pending' });
    const [known, fresh] = [makePod('b', { phase: 'Running' }), makePod('c')];
    statuses.set(arrived, { phase: 'Running', podIP: '10.0.0.1' });
    pods = [arrived, known, fresh];
    assert.deepEqual(await (await fetch(`${origin}/pods/`)).json(), {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [
        { metadata: arrived.metadata, spec: arrived.spec, status: { phase: 'Running', podIP: '10.0.0.1' } },
        { metadata: known.metadata, spec: known.spec, status: { phase: 'Running' } },
        { metadata: fresh.metadata, spec: fresh.spec, status: {} },
      ],
    });
  });

  for (const [accept, status] of [
    ['text/html, application/json;q=0.5', 200],
    ['*/*', 200],
    ['', 200],
    ['text/plain', 406],
    ['application/*', 406],
  ] as const)
    it(`answers ${status} to a client that accepts ${JSON.stringify(accept)}`, async () => {
      const response = await fetch(`${origin}/pods`, { headers: { accept } });
      assert.equal(response.status, status);
      const text = await response.text();
      if (status === 406)
        assert.equal(text, '406: Not Acceptable\n\nAvailable representations: application/json');
    });

  for (const [method, path, status, body] of [
    ['POST', '/pods', 405, '405: Method Not Allowed'],
    ['GET', '/pods/x', 404, '404: Page Not Found'],
    ['GET', '/healthz/ping', 200, 'ok'],
    ['GET', '/healthz/syncloop', 500, 'internal server error: stuck\n'],
    ['POST', '/exec/ns/pod/c', 405, 'Debug endpoints are disabled.\n'],
    ['GET', '/logs/', 405, 'Debug endpoints are disabled.\n'],
    ['GET', '/containerLogs/ns/p/c', 405, 'Debug endpoints are disabled.\n'],
    ['GET', '/configz', 404, '404 page not found\n'],
    ['GET', '/spec/', 404, '404 page not found\n'],
    ['GET', '/stats/', 404, '404: Page Not Found'],
    ['GET', '/stats/container', 404, '404: Page Not Found'],
  ] as const)
    it(`answers ${method} ${path} with ${status}`, async () => {
      const response = await fetch(`${origin}${path}`, { method });
      assert.equal(response.status, status);
      assert.equal(await response.text(), body);
    });

  it('CVE-2025-0426: makes no checkpoint on the read-only port', async () => {
    for (const path of ['/checkpoint/ns/p/c', '/checkpoint/', '/checkpoint', '//checkpoint/ns/p/c'])
      for (const method of ['POST', 'GET']) {
        const response = await fetch(`${origin}${path}`, { method });
        assert.equal(response.status, 404, `${method} ${path}`);
        assert.equal(await response.text(), '404 page not found\n');
      }
  });

  it('lists the failed checks', async () => {
    const response = await fetch(`${origin}/healthz`);
    assert.equal(response.status, 500);
    assert.equal(
      await response.text(),
      '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    );
  });
});
