import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SpanStart, SpanValues, Tracer } from '../../ports/tracer.ts';
import type { HttpRequest } from './http-exchange.ts';
import { toErrorReply } from './http-exchange.ts';
import type { Route } from './route-list.ts';
import { traceRoutes } from './trace-routes.ts';

const request = {
  method: 'GET',
  path: '/run/a',
  headers: { traceparent: 'theirs' },
} as unknown as HttpRequest;

describe('traceRoutes', () => {
  it('names the span after the route, not after what the caller wrote, and links its trace', async () => {
    const starts: SpanStart[] = [];
    const seen: SpanValues[] = [];
    let failed = false;
    const tracer: Tracer = {
      span: (start, work) => {
        starts.push(start);
        return work({
          rename: () => {},
          set: (values) => void seen.push(values),
          fail: () => {
            failed = true;
          },
          headers: {},
        });
      },
    };
    const route: Route = { path: '/run/', methods: 'any', handle: () => toErrorReply(503, 'no') };
    const [traced] = traceRoutes(tracer, [route]);
    await traced?.handle(request, new AbortController().signal);
    assert.equal(starts[0]?.name, '/run/');
    assert.equal(starts[0]?.linkTo, 'theirs');
    assert.deepEqual(seen, [{ 'http.response.status_code': 503 }]);
    assert.equal(failed, true);
  });

  it('changes nothing without a tracer', () => {
    const routes: Route[] = [];
    assert.equal(traceRoutes(undefined, routes), routes);
  });
});
