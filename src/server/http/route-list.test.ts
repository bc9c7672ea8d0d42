import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toTextReply } from './http-exchange.ts';
import { findRoute, type Route } from './route-list.ts';

const handlerOf = (name: string): Route['handle'] =>
  Object.assign(() => toTextReply(200, name), { tag: name });
const ROUTES: readonly Route[] = [
  { path: '/healthz', methods: 'any', handle: handlerOf('healthz') },
  { path: '/healthz/ping', methods: 'any', handle: handlerOf('ping') },
  { path: '/pods', methods: ['GET'], handle: handlerOf('pods') },
  { path: '/stats/summary', methods: ['GET', 'POST'], handle: handlerOf('stats') },
  { path: '/run/', methods: 'any', handle: handlerOf('run') },
  { path: '/run/deep/', methods: 'any', handle: handlerOf('deep') },
];

describe('findRoute', () => {
  const handled: readonly (readonly [string, string, string])[] = [
    ['GET', '/healthz', 'healthz'],
    ['DELETE', '/healthz', 'healthz'],
    ['HEAD', '/healthz/ping', 'ping'],
    ['GET', '/pods', 'pods'],
    ['GET', '/pods/', 'pods'],
    ['POST', '/stats/summary', 'stats'],
    ['POST', '/run/', 'run'],
    ['PUT', '/run/a/b', 'run'],
    ['GET', '/run/deep/x', 'deep'],
  ];
  for (const [method, path, name] of handled)
    it(`${method} ${path} is answered by ${name}`, () => {
      const match = findRoute(ROUTES, method, path);
      assert.ok(match.kind === 'handler');
      assert.equal('tag' in match.handle && match.handle.tag, name);
    });

  const replied: readonly (readonly [string, string, number, string, Record<string, string>])[] = [
    ['GET', '/', 404, '404 page not found\n', {}],
    ['GET', '/x', 404, '404 page not found\n', { 'x-content-type-options': 'nosniff' }],
    ['GET', '/healthz/', 404, '404 page not found\n', {}],
    ['GET', '/healthz/none', 404, '404 page not found\n', {}],
    ['GET', '/podsx', 404, '404 page not found\n', {}],
    ['GET', '/stats', 404, '404 page not found\n', {}],
    ['OPTIONS', '*', 404, '404 page not found\n', {}],
    ['GET', '/pods/x', 404, '404: Page Not Found', {}],
    ['POST', '/pods', 405, '405: Method Not Allowed', { allow: 'GET' }],
    ['HEAD', '/pods/', 405, '405: Method Not Allowed', { allow: 'GET' }],
    ['PUT', '/stats/summary', 405, '405: Method Not Allowed', { allow: 'GET, POST' }],
    ['GET', '/run', 307, '<a href="/run/">Temporary Redirect</a>.\n\n', { location: '/run/' }],
    ['GET', '//healthz', 307, '<a href="/healthz">Temporary Redirect</a>.\n\n', { location: '/healthz' }],
    ['GET', '/a/../pods', 307, '<a href="/pods">Temporary Redirect</a>.\n\n', { location: '/pods' }],
    ['GET', '/pods/./', 307, '<a href="/pods/">Temporary Redirect</a>.\n\n', { location: '/pods/' }],
    ['GET', '/../..', 307, '<a href="/">Temporary Redirect</a>.\n\n', { location: '/' }],
  ];
  for (const [method, path, status, body, headers] of replied)
    it(`${method} ${path} gets ${status}`, () => {
      const match = findRoute(ROUTES, method, path);
      assert.ok(match.kind === 'reply');
      assert.equal(match.reply.status, status);
      assert.equal(match.reply.body, body);
      assert.deepEqual({ ...match.reply.headers, ...headers }, match.reply.headers);
    });

  it('redirects that drop the query: keeps it, encoded where it could end a header or a tag', () => {
    const search = '?command=ls&command=-l&x="><script>\u00e9';
    const match = findRoute(ROUTES, 'GET', '/run', search);
    assert.ok(match.kind === 'reply');
    const query = '?command=ls&command=-l&x=%22%3E%3Cscript%3E%C3%A9';
    assert.equal(match.reply.headers['location'], `/run/${query}`);
    assert.ok(match.reply.body.startsWith(`<a href="/run/${query.replaceAll('&', '&amp;')}">`));
  });

  it('never redirects to another host, with any path', () => {
    const part = fc.constantFrom('/', '..', '.', 'a', '\r\n', '"', '<', ' ', '%', '\\', 'é');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const match = findRoute(ROUTES, 'GET', `/${parts.join('')}`);
        const location = match.kind === 'reply' ? match.reply.headers['location'] : undefined;
        if (location !== undefined) assert.match(location, /^\/(?!\/)[A-Za-z0-9%./_-]*$/);
      }),
    );
  });
});
