/**
 * Health as listed checks, answered in the format Kubernetes components share:
 * `ok`, or one line per check. The reason of a failure is shown only at the
 * check's own path.
 *
 * There are two questions. `/healthz` asks whether the agent should be
 * restarted; `/healthz?verbose` asks whether everything is healthy, including
 * what no restart fixes (the informational checks): a runtime that is down, an
 * unreachable API server.
 */
import { type HttpReply, type HttpRequest, toErrorReply, toTextReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

export interface HealthCheck {
  readonly name: string;
  /** What is wrong, or undefined when healthy. */
  readonly check: () => string | undefined;
}

/** Healthy as long as the process answers. */
export const PING: HealthCheck = { name: 'ping', check: () => undefined };

/** Called with the result of each check whenever all checks are requested. */
export type HealthObserver = (name: string, healthy: boolean) => void;

/**
 * `/healthz` and one path per check; every method is answered. `informationalChecks` have
 * a path too but count for `/healthz` only with `verbose`.
 */
export function toHealthRoutes(
  checks: readonly HealthCheck[],
  informationalChecks: readonly HealthCheck[] = [],
  observe: HealthObserver = () => {},
): Route[] {
  return [
    {
      path: '/healthz',
      methods: 'any',
      handle: (request) => reportHealth(checks, informationalChecks, request, observe),
    },
    ...[...checks, ...informationalChecks].map(
      (check): Route => ({
        path: `/healthz/${check.name}`,
        methods: 'any',
        handle: () => reportCheck(check),
      }),
    ),
  ];
}

/** `?verbose` lists all checks, also of a healthy answer; `?exclude=<name>` leaves one out. */
function reportHealth(
  checks: readonly HealthCheck[],
  informationalChecks: readonly HealthCheck[],
  { query }: Pick<HttpRequest, 'query'>,
  observe: HealthObserver,
): HttpReply {
  const unmatched = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const { name, check } of query.has('verbose') ? [...checks, ...informationalChecks] : checks) {
    if (unmatched.delete(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const healthy = check() === undefined;
    observe(name, healthy);
    lines.push(healthy ? `[+]${name} ok` : `[-]${name} failed: reason withheld`);
    if (!healthy) failed = true;
  }
  if (unmatched.size > 0) {
    const names = [...unmatched].toSorted().map((name) => JSON.stringify(name));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(',')}`);
  }
  if (failed) return toErrorReply(500, [...lines, 'healthz check failed'].join('\n'));
  return toTextReply(200, query.has('verbose') ? `${[...lines, 'healthz check passed'].join('\n')}\n` : 'ok');
}

function reportCheck({ check }: HealthCheck): HttpReply {
  const problem = check();
  return problem === undefined
    ? toTextReply(200, 'ok')
    : toErrorReply(500, `internal server error: ${problem}`);
}
