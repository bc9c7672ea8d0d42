/**
 * The routes of one listener as a list; there is no shared router to register
 * with. Finds the handler for a request, or the reply when there is none.
 *
 *   path `/healthz`   that path only
 *   path `/run/`      everything below; `/run` is redirected to `/run/`
 *   methods listed    the route also owns the paths below and a trailing
 *                     slash: other methods get 405, deeper paths a 404
 *   shapes listed     what below the path is answered: as many parts as one
 *                     of the shapes names; anything else is a 404
 */
import { type Handler, type HttpReply, toErrorReply, toRouterReply } from './http-exchange.ts';

export interface Route {
  readonly path: string;
  readonly methods: 'any' | readonly string[];
  readonly handle: Handler;
  /** Names of the parts below a path that ends in a slash; the first shape of the right length counts. */
  readonly shapes?: readonly (readonly string[])[] | undefined;
  /** True when requests below the path may leave HTTP. */
  readonly upgrades?: true;
}

export type RouteMatch =
  | {
      readonly kind: 'handler';
      readonly handle: Handler;
      readonly params: Readonly<Record<string, string>>;
    }
  /** `owned`: below a route, so that the caller must be authenticated first. */
  | { readonly kind: 'reply'; readonly reply: HttpReply; readonly owned: boolean };

const NOT_FOUND = toErrorReply(404, '404 page not found');

/** `path` is decoded and without query; `search` is the query as it came, with its `?`. */
export function findRoute(routes: readonly Route[], method: string, path: string, search = ''): RouteMatch {
  // CONNECT and `OPTIONS *` have no path to clean.
  const clean = path.startsWith('/') ? cleanPath(path) : path;
  if (clean !== path) return redirectTo(clean, search);
  const exact = routes.find((route) => route.path === path);
  if (exact !== undefined) return matchShape(exact, method, path);
  const owner = routes
    .filter((route) => owns(route, path))
    .reduce<Route | undefined>(
      (a, b) => (a !== undefined && a.path.length > b.path.length ? a : b),
      undefined,
    );
  if (owner !== undefined) {
    if (owner.path.endsWith('/') || path === `${owner.path}/`) return matchShape(owner, method, path);
    return notFoundBelow();
  }
  if (routes.some((route) => route.path === `${path}/`)) return redirectTo(`${path}/`, search);
  return { kind: 'reply', reply: NOT_FOUND, owned: false };
}

function owns(route: Route, path: string): boolean {
  if (route.path.endsWith('/')) return path.startsWith(route.path);
  return route.methods !== 'any' && path.startsWith(`${route.path}/`);
}

function matchShape(route: Route, method: string, path: string): RouteMatch {
  if (route.shapes === undefined) return matchMethod(route, method, {});
  const below = path.slice(route.path.length).replace(/\/$/, '');
  const parts = below === '' ? [] : below.split('/');
  const shape = route.shapes.find(({ length }) => length === parts.length);
  if (shape === undefined || parts.includes('')) return notFoundBelow();
  return matchMethod(route, method, Object.fromEntries(shape.map((name, i) => [name, parts[i] ?? ''])));
}

function matchMethod(route: Route, method: string, params: Readonly<Record<string, string>>): RouteMatch {
  if (route.methods === 'any' || route.methods.includes(method))
    return { kind: 'handler', handle: route.handle, params };
  const allow = { allow: route.methods.join(', ') };
  return { kind: 'reply', reply: toRouterReply(405, '405: Method Not Allowed', allow), owned: true };
}

function notFoundBelow(): RouteMatch {
  return { kind: 'reply', reply: toRouterReply(404, '404: Page Not Found'), owned: true };
}

/** Without doubled slashes and dots, keeping a trailing slash. */
function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '' && part !== '.') kept.push(part);
  }
  const clean = `/${kept.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

function redirectTo(path: string, search: string): RouteMatch {
  // Encoded: what was decoded may hold characters that end a header or a tag, and so may a query.
  const query = search.replace(/[^\x21-\x7e]|["<>]/g, encodeURIComponent);
  const location = path.split('/').map(encodeURIComponent).join('/') + query;
  const headers = { location, 'content-type': 'text/html; charset=utf-8' };
  const body = `<a href="${location.replaceAll('&', '&amp;')}">Temporary Redirect</a>.\n\n`;
  return { kind: 'reply', reply: toRouterReply(307, body, headers), owned: false };
}
