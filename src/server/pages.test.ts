import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import { SAMPLE_CONTAINER, SAMPLE_POD, SAMPLE_SANDBOX } from '../../test/samples/sample-main-server.ts';
import { AgentError } from '../base/errors.ts';
import { Counter, Gauge, Histogram, MetricRegistry } from '../base/metric-registry.ts';
import type { ContainerId } from '../core/model/ids.ts';
import { renderMetrics } from './debug/metrics-text.ts';
import type { HttpReply, HttpRequest } from './http/http-exchange.ts';
import { RequestMetrics, toRoots } from './http/request-metrics.ts';
import type { Route } from './http/route-list.ts';
import { toCheckpointRoute } from './pods/checkpoint-route.ts';
import { toRunningPodsRoute } from './pods/running-pods.ts';
import { toRunRoute } from './streaming/run-route.ts';

const reader = {
  listSandboxes: async () => [SAMPLE_SANDBOX],
  listContainers: async () => [SAMPLE_CONTAINER],
};
const pods = { listPods: () => [SAMPLE_POD], statusOf: () => undefined };
const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });

async function ask(route: Route, request: Partial<HttpRequest> = {}): Promise<HttpReply> {
  const empty = {
    method: 'GET',
    path: '',
    query: new URLSearchParams(),
    headers: {},
    body: new Uint8Array(),
  };
  return route.handle({ ...empty, ...request }, new AbortController().signal);
}

async function textOf(reply: HttpReply): Promise<string> {
  let text = reply.body;
  const sink = {
    write: async (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    },
  };
  await reply.stream?.(sink, new AbortController().signal);
  return text;
}

describe('renderMetrics', () => {
  it('writes the text format, with what must be escaped', () => {
    const counter = new Counter({
      name: 'c_total',
      help: 'Line\nand \\',
      stability: 'STABLE',
      labels: ['path'],
    });
    counter.add(2, { path: 'a"b\\c\nd' });
    const histogram = new Histogram({ name: 'h', help: 'Times', buckets: [0.5] });
    histogram.observe(0.25);
    const unused = new Counter({ name: 'unused', help: '', labels: ['x'] });
    const gauge = new Gauge({ name: 'g', help: 'Left' });
    gauge.set(Number.POSITIVE_INFINITY);
    assert.equal(
      renderMetrics([counter, histogram, unused, gauge]),
      [
        '# HELP c_total [STABLE] Line\\nand \\\\',
        '# TYPE c_total counter',
        'c_total{path="a\\"b\\\\c\\nd"} 2',
        '# HELP h [ALPHA] Times',
        '# TYPE h histogram',
        'h_bucket{le="0.5"} 1',
        'h_bucket{le="+Inf"} 1',
        'h_sum 0.25',
        'h_count 1',
        '# HELP g [ALPHA] Left',
        '# TYPE g gauge',
        'g +Inf',
        '',
      ].join('\n'),
    );
  });
});

describe('RequestMetrics', () => {
  it('CVE-2020-8551: the memory for metrics does not grow with what callers ask for', () => {
    const registry = new MetricRegistry();
    const roots = toRoots(['/pods', '/metrics', '/exec/']);
    const observe = new RequestMetrics(registry, clock).observer('readonly', roots);
    const ask = (method: string, path: string): void =>
      observe({ method, path, query: new URLSearchParams(), headers: {}, body: new Uint8Array() })(200);
    const linesAfter = (count: number): number => {
      for (let i = 0; i < count; i++) {
        ask('GET', `/exec/${i}/${i}`);
        ask(`M${i}`, `/unknown-${i}`);
        ask('GET', `/pods-${i}`);
      }
      return renderMetrics(registry.read()).split('\n').length;
    };
    assert.equal(linesAfter(10), linesAfter(1000));
  });

  it('cuts paths and methods to the known ones', () => {
    const registry = new MetricRegistry();
    const observe = new RequestMetrics(registry, clock).observer(
      'readwrite',
      toRoots(['/pods', '/exec/', '/metrics', '/metrics/probes']),
    );
    const base = { query: new URLSearchParams(), headers: {}, body: new Uint8Array() };
    const ends = [
      ['GET', '/pods'],
      ['PROPFIND', '/pods/x'],
      ['GET', '/exec/a/b/c'],
      ['GET', '/metrics/probes'],
      ['GET', '/metrics/guess'],
      ['GET', '/guess'],
    ].map(([method = '', path = '']) => observe({ ...base, method, path }));
    const read = (name: string) =>
      registry
        .read()
        .find((family) => family.name === name)
        ?.samples() ?? [];
    const shown = read('kubelet_http_requests_total').map(({ labels, value }) => {
      const { method, path, long_running } = Object.fromEntries(labels);
      return `${method} ${path} ${long_running} ${value}`;
    });
    assert.deepEqual(shown, [
      'GET pods false 1',
      'other pods false 1',
      'GET exec true 1',
      'GET metrics/probes false 1',
      'GET other false 2',
    ]);
    const open = () => read('kubelet_http_inflight_requests').reduce((sum, { value }) => sum + value, 0);
    assert.equal(open(), 6);
    for (const end of ends) end(200);
    assert.equal(open(), 0);
  });
});

describe('/runningpods/', () => {
  it('shows names and images of what runs', async () => {
    const { items } = JSON.parse((await ask(toRunningPodsRoute(reader))).body);
    assert.deepEqual(items, [
      {
        metadata: { name: 'p', namespace: 'ns', uid: 'uid-p' },
        spec: { containers: [{ name: 'c', image: 'busybox', resources: {} }] },
        status: {},
      },
    ]);
    const idle = {
      listSandboxes: async () => [{ ...SAMPLE_SANDBOX, ready: false }],
      listContainers: async () => [],
    };
    assert.equal(JSON.parse((await ask(toRunningPodsRoute(idle))).body).items, null);
    assert.equal((await ask(toRunningPodsRoute(reader), { headers: { accept: 'text/html' } })).status, 406);
  });
});

describe('/run/', () => {
  const params = { namespace: 'ns', pod: 'p', container: 'c' };
  const query = new URLSearchParams('cmd=a b  c');
  function make(exitCode: number) {
    const asked: (readonly string[])[] = [];
    const execSync = async (_id: ContainerId, command: readonly string[]) => {
      asked.push(command);
      return { exitCode, stdout: Buffer.from('out'), stderr: Buffer.from('err') };
    };
    return { route: toRunRoute({ pods, reader, runtime: { execSync } }), asked };
  }

  it('answers with what the command wrote', async () => {
    const { route, asked } = make(0);
    const reply = await ask(route, { params, query });
    assert.equal(reply.headers['content-type'], 'application/json');
    assert.equal(await textOf(reply), 'outerr');
    assert.deepEqual(asked, [['a', 'b', '', 'c']]);
  });

  it('answers 500 when the command fails or the container does not run, 404 without the pod', async () => {
    const failed = await ask(make(3).route, { params, query });
    assert.equal(failed.status, 500);
    assert.equal(failed.body, "command 'a b  c' exited with 3: err\n");
    assert.equal((await ask(make(0).route, { params: { ...params, container: 'x' } })).status, 500);
    assert.equal((await ask(make(0).route, { params: { ...params, pod: 'x' } })).status, 404);
  });

  for (const [code, status] of [
    ['not-found', 404],
    ['resource-exhausted', 429],
    ['unknown', 500],
  ] as const)
    it(`answers ${status} when the runtime says ${code}`, async () => {
      const execSync = () => Promise.reject(new AgentError(code, 'in its words'));
      const reply = await ask(toRunRoute({ pods, reader, runtime: { execSync } }), { params, query });
      assert.equal(reply.status, status);
      assert.equal(reply.body, 'in its words\n');
      assert.equal(reply.headers['retry-after'], status === 429 ? '60' : undefined);
    });
});

describe('/checkpoint/', () => {
  const params = { namespace: 'ns', pod: 'p', container: 'c' };
  const asked: [string, number][] = [];
  const make = (failure?: Error) =>
    toCheckpointRoute({
      pods,
      reader,
      clock,
      directory: '/k',
      checkpoint: async (_id, location, timeout) => {
        if (failure !== undefined) throw failure;
        asked.push([location, timeout]);
      },
    });
  const get = async (route: Route, query = '', given = params): Promise<[number, string]> => {
    const { status, body } = await ask(route, { params: given, query: new URLSearchParams(query) });
    return [status, body];
  };

  it('names the archive after container and time', async () => {
    const [status, body] = await get(make(), 'timeout=5&timeout=7');
    assert.equal(status, 200);
    const [location = ''] = JSON.parse(body).items;
    assert.match(location, /^\/k\/checkpoint-p_ns-c-2026-01-0[123]T\d\d:\d\d:05(Z|[+-]\d\d:\d\d)\.tar$/);
    assert.deepEqual(asked, [[location, 7]]);
  });

  it('answers what the specification says', async () => {
    assert.deepEqual(await get(make(), '', { ...params, pod: 'x' }), [404, 'pod does not exist']);
    assert.deepEqual(await get(make(), '', { ...params, container: 'x' }), [
      404,
      'container x does not exist',
    ]);
    assert.deepEqual(await get(make(), 'timeout=soon'), [404, 'cannot parse value of timeout parameter']);
    assert.deepEqual(await get(make(new Error('no'))), [500, 'checkpointing of ns/p/c failed (no)']);
  });
});
