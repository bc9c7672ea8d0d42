import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { Summary } from '../../core/stats/summary.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import { toResourceMetricsRoute } from './resource-metrics-route.ts';
import { type StatisticsSource, toSummaryRoute } from './summary-route.ts';
import { toTopRoute } from './top-route.ts';

const time = '2026-01-02T03:04:05Z';
const AT = Date.parse(time) + 678;
const SUMMARY: Summary = {
  node: {
    nodeName: 'n1',
    startTime: time,
    cpu: { time, usageCoreNanoSeconds: 2_500_000_000 },
    memory: { time, workingSetBytes: 100 },
    swap: { time, swapUsageBytes: 7 },
    fs: { time, usedBytes: 1 },
  },
  pods: [
    {
      podRef: { name: 'web', namespace: 'default', uid: 'u' },
      startTime: time,
      containers: [
        {
          name: 'main',
          startTime: time,
          cpu: { time, usageCoreNanoSeconds: 1_000_000_000 },
          memory: { time, workingSetBytes: 50 },
          swap: { time, swapUsageBytes: 3, swapAvailableBytes: 4 },
          rootfs: { time, usedBytes: 1 },
        },
        { name: 'new', startTime: '1970-01-01T00:00:00Z' },
      ],
      memory: { time, workingSetBytes: 60 },
    },
  ],
};

function setUp(problem?: unknown, sharedForMs?: number) {
  const asked: string[] = [];
  const ages: number[] = [];
  const answer = (what: string) => async (request: { readonly maxAgeMs: number }) => {
    asked.push(what);
    ages.push(request.maxAgeMs);
    if (problem !== undefined) throw problem;
    return { summary: SUMMARY, layout: 'single' as const, atMs: AT };
  };
  const statistics: StatisticsSource = {
    read: answer('all'),
    readUsage: answer('usage'),
    ...(sharedForMs !== undefined && { sharedForMs }),
  };
  const ask = async (route: 'summary' | 'resource', more: Partial<HttpRequest> = {}): Promise<HttpReply> => {
    const { handle } = route === 'summary' ? toSummaryRoute(statistics) : toResourceMetricsRoute(statistics);
    const request = {
      method: 'GET',
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    };
    return handle({ ...request, ...more }, new AbortController().signal);
  };
  return { asked, ages, ask };
}

describe('statistics', () => {
  it('are shared among callers for 5 s, or as long as configured', async () => {
    const usual = setUp();
    const given = setUp(undefined, 500);
    for (const { ask } of [usual, given]) {
      await ask('summary');
      await ask('resource');
    }
    assert.deepEqual(
      [usual.ages, given.ages],
      [
        [5_000, 5_000],
        [500, 500],
      ],
    );
  });
});

describe('/stats/summary', () => {
  it('shows everything', async () => {
    const { ask, asked } = setUp();
    const reply = await ask('summary');
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'application/json']);
    assert.deepEqual(JSON.parse(reply.body), SUMMARY);
    assert.deepEqual(asked, ['all']);
  });

  for (const [query, what] of [
    ['only_cpu_and_memory=true', 'usage'],
    ['only_cpu_and_memory=false', 'all'],
    ['only_cpu_and_memory=1', 'all'],
    ['only_cpu_and_memory=true&only_cpu_and_memory=true', 'all'],
  ] as const)
    it(`reads ${what} for ${query}`, async () => {
      const { ask, asked } = setUp();
      const reply = await ask('summary', { query: new URLSearchParams(query) });
      assert.deepEqual(asked, [what]);
      const { node, pods } = JSON.parse(reply.body) as Summary;
      assert.equal(node.fs === undefined, what === 'usage');
      assert.equal(pods[0]?.containers[0]?.rootfs === undefined, what === 'usage');
    });

  it('takes the parameter from a form', async () => {
    const { ask, asked } = setUp();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await ask('summary', { method: 'POST', headers, body: Buffer.from('only_cpu_and_memory=true') });
    assert.deepEqual(asked, ['usage']);
  });

  it('answers 500 with the reason when the node cannot be read', async () => {
    const { ask } = setUp(new AgentError('unavailable', 'failed to list pod stats: gone'));
    const { status, body } = await ask('summary');
    assert.deepEqual([status, body], [500, 'Internal Error: failed to list pod stats: gone\n']);
  });

  it('answers 406 to a client that takes no JSON', async () => {
    assert.equal((await setUp().ask('summary', { headers: { accept: 'text/html' } })).status, 406);
  });
});

describe('/metrics/resource', () => {
  it('shows each sample with its time, but the start and the error without', async () => {
    const { body } = await setUp().ask('resource');
    const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const labels = 'namespace="default",pod="web"';
    assert.deepEqual(lines, [
      `container_cpu_usage_seconds_total{container="main",${labels}} 1 ${AT}`,
      `container_memory_working_set_bytes{container="main",${labels}} 50 ${AT}`,
      `container_start_time_seconds{container="main",${labels}} ${Date.parse(time) / 1000}`,
      `container_swap_limit_bytes{container="main",${labels}} 7 ${AT}`,
      `container_swap_usage_bytes{container="main",${labels}} 3 ${AT}`,
      `node_cpu_usage_seconds_total 2.5 ${AT}`,
      `node_memory_working_set_bytes 100 ${AT}`,
      `node_swap_usage_bytes 7 ${AT}`,
      `pod_memory_working_set_bytes{${labels}} 60 ${AT}`,
      'resource_scrape_error 0',
    ]);
    assert.match(
      body,
      /^# HELP node_cpu_usage_seconds_total \[STABLE\] Cumulative cpu time consumed by the node/m,
    );
    assert.match(body, /^# TYPE node_cpu_usage_seconds_total counter$/m);
  });

  it('shows the error alone when the node cannot be read', async () => {
    const { status, body } = await setUp(new AgentError('unavailable', 'gone')).ask('resource');
    assert.equal(status, 200);
    assert.match(body, /\nresource_scrape_error 1\n$/);
    assert.doesNotMatch(body, /node_cpu/);
  });

  it('lets a bug through', async () => {
    await assert.rejects(setUp(new TypeError('a bug')).ask('resource'), /a bug/);
    await assert.rejects(setUp(new TypeError('a bug')).ask('summary'), /a bug/);
  });

  it('shows what earlier releases had when that is asked for', async () => {
    const statistics = { read: () => assert.fail(), readUsage: async () => ({ summary: SUMMARY, atMs: AT }) };
    const request = {
      method: 'GET',
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    };
    const bodyOf = async (showHidden: boolean): Promise<string> =>
      (await toResourceMetricsRoute(statistics, showHidden).handle(request, new AbortController().signal))
        .body;
    assert.match(
      await bodyOf(true),
      /\n# HELP scrape_error \[STABLE\] \(Deprecated since 1\.29\.0\) 1 if .*\n.*\nscrape_error 0\n$/,
    );
    assert.doesNotMatch(await bodyOf(false), /^scrape_error/m);
  });
});

describe('/top', () => {
  it('waits for a second measurement where there was only one', async () => {
    const clock = new FakeClock();
    const asked: number[] = [];
    const statistics = {
      readUsage: async ({ maxAgeMs }: { readonly maxAgeMs: number }) => {
        asked.push(maxAgeMs);
        const cpu = asked.length === 1 ? { time } : { time, usageNanoCores: 7 };
        return { summary: { node: { ...SUMMARY.node, cpu }, pods: [] }, atMs: AT };
      },
      history: () => ({ atMs: [], of: () => ({ cpuNanoCores: [], memoryBytes: [] }) }),
    };
    const { handle } = toTopRoute({ statistics, cores: 2 }, clock);
    const request = {
      method: 'GET',
      path: '/',
      query: new URLSearchParams(),
      headers: {},
      body: new Uint8Array(),
    };
    const { signal } = new AbortController();
    const report = async () =>
      JSON.parse((await clock.finish(Promise.resolve(handle(request, signal)))).body);
    assert.equal((await report()).node.cpuNanoCores, 7);
    assert.deepEqual(asked, [1000, 0]);
    assert.equal((await report()).node.cores, 2);
    assert.deepEqual(asked, [1000, 0, 1000]);
  });
});
