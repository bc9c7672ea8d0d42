import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '../http/route-list.ts';
import { PING, toHealthRoutes } from './health-check.ts';
import { HealthMetrics } from './health-metrics.ts';

async function ask({ handle }: Route, method = 'GET', query = ''): Promise<string> {
  const request = {
    method,
    path: '',
    query: new URLSearchParams(query),
    headers: {},
    body: new Uint8Array(),
  };
  return (await handle(request, new AbortController().signal)).body;
}

describe('HealthMetrics', () => {
  it('counts the results of checks whenever all are requested, until it is reset', async () => {
    const metrics = new HealthMetrics();
    let problem: string | undefined;
    const checks = [PING, { name: 'syncloop', check: () => problem }];
    const [all, ...single] = toHealthRoutes(checks, [], metrics.observe);
    if (all === undefined) assert.fail();
    for (const route of single) await ask(route);
    assert.equal(await ask(metrics.route), '');
    await ask(all);
    problem = 'stuck';
    await ask(all);
    await ask(all, 'GET', 'exclude=syncloop');
    const text = await ask(metrics.route);
    for (const line of [
      'kubernetes_healthcheck{name="ping",type="healthz"} 1',
      'kubernetes_healthcheck{name="syncloop",type="healthz"} 0',
      'kubernetes_healthchecks_total{name="ping",status="success",type="healthz"} 3',
      'kubernetes_healthchecks_total{name="syncloop",status="success",type="healthz"} 1',
      'kubernetes_healthchecks_total{name="syncloop",status="error",type="healthz"} 1',
    ])
      assert.ok(text.includes(`${line}\n`), line);
    assert.equal(await ask(metrics.route, 'DELETE'), 'metrics reset\n');
    assert.equal(await ask(metrics.route), '');
  });
});
