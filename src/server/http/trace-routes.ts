/**
 * Requests as spans, named after their route. A caller's own trace is linked,
 * not followed: the port is open to callers that must not choose what is
 * recorded here.
 */
import { inSpan, type SpanStart, type Tracer } from '../../ports/tracer.ts';
import type { HttpRequest } from './http-exchange.ts';
import type { Route } from './route-list.ts';

const SCOPE = 'go.opentelemetry.io/contrib/instrumentation/github.com/emicklei/go-restful/otelrestful';

/** The same routes without a tracer. */
export function traceRoutes(tracer: Tracer | undefined, routes: readonly Route[]): readonly Route[] {
  if (tracer === undefined) return routes;
  return routes.map((route) => ({
    ...route,
    handle: (request, signal) =>
      inSpan(
        tracer,
        () => toStart(route, request),
        async (span) => {
          const reply = await route.handle(request, signal);
          span.set({ 'http.response.status_code': reply.status });
          if (reply.status >= 500) span.fail('');
          return reply;
        },
      ),
  }));
}

function toStart({ path: route }: Route, { method, headers }: HttpRequest): SpanStart {
  const { traceparent } = headers;
  return {
    name: route,
    scope: SCOPE,
    kind: 'server',
    attributes: { 'http.request.method': method, 'http.route': route },
    linkTo: typeof traceparent === 'string' ? traceparent : undefined,
  };
}
