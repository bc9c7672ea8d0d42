import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpReply } from '../http/http-exchange.ts';
import { findRoute, type Route } from '../http/route-list.ts';
import { type HealthCheck, PING, toHealthRoutes } from './health-check.ts';

const LOG: HealthCheck = { name: 'log', check: () => undefined };
const STUCK: HealthCheck = { name: 'syncloop', check: () => 'stuck since 5m0s' };

async function get(routes: readonly Route[], target: string): Promise<HttpReply> {
  const url = new URL(target, 'http://host');
  const match = findRoute(routes, 'GET', url.pathname);
  if (match.kind === 'reply') return match.reply;
  const request = {
    method: 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: {},
    body: new Uint8Array(),
  };
  return match.handle(request, new AbortController().signal);
}

describe('toHealthRoutes', () => {
  const cases: readonly (readonly [string, readonly HealthCheck[], string, number, string])[] = [
    ['says ok', [PING, LOG], '/healthz', 200, 'ok'],
    [
      'lists all with verbose',
      [PING, LOG],
      '/healthz?verbose',
      200,
      '[+]ping ok\n[+]log ok\nhealthz check passed\n',
    ],
    ['any value of verbose counts', [PING], '/healthz?verbose=0', 200, '[+]ping ok\nhealthz check passed\n'],
    [
      'lists all when one fails',
      [PING, STUCK],
      '/healthz',
      500,
      '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n',
    ],
    ['leaves an excluded check out', [PING, STUCK], '/healthz?exclude=syncloop', 200, 'ok'],
    [
      'names what cannot be excluded, sorted',
      [PING, STUCK],
      '/healthz?exclude=nope&exclude=ping&exclude=bad',
      500,
      '[+]ping excluded: ok\n[-]syncloop failed: reason withheld\n' +
        'warn: some health checks cannot be excluded: no matches for "bad","nope"\nhealthz check failed\n',
    ],
    ['says ok in spite of an unknown exclusion', [PING], '/healthz?exclude=nope', 200, 'ok'],
    ['answers a check alone', [PING, STUCK], '/healthz/ping', 200, 'ok'],
    [
      'gives the reason at the path of the check',
      [STUCK],
      '/healthz/syncloop',
      500,
      'internal server error: stuck since 5m0s\n',
    ],
    ['knows no other check', [PING], '/healthz/log', 404, '404 page not found\n'],
  ];
  for (const [what, checks, target, status, body] of cases)
    it(`${what}: ${target}`, async () => {
      const reply = await get(toHealthRoutes(checks), target);
      assert.equal(reply.status, status);
      assert.equal(reply.body, body);
      assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8');
      assert.equal(reply.headers['x-content-type-options'], 'nosniff');
    });

  it('includes checks that no restart can fix only with `verbose`', async () => {
    const routes = toHealthRoutes([PING], [STUCK]);
    const ask = async (target: string): Promise<readonly [number, unknown]> => {
      const { status, body } = await get(routes, target);
      return [status, body];
    };
    assert.deepEqual(await ask('/healthz'), [200, 'ok']);
    const failed = '[+]ping ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n';
    assert.deepEqual(await ask('/healthz?verbose'), [500, failed]);
    const passed = '[+]ping ok\n[+]syncloop excluded: ok\nhealthz check passed\n';
    assert.deepEqual(await ask('/healthz?verbose&exclude=syncloop'), [200, passed]);
    assert.deepEqual(await ask('/healthz/syncloop'), [500, 'internal server error: stuck since 5m0s\n']);
  });
});
