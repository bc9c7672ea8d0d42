import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import { findRoute } from '../http/route-list.ts';
import { ContentionProfile } from './contention-profile.ts';
import { toProfileRoutes } from './profile-routes.ts';

const REQUEST: HttpRequest = {
  method: 'GET',
  path: '',
  query: new URLSearchParams(),
  headers: {},
  body: new Uint8Array(),
};

function make(heapSnapshots: boolean, contention?: ContentionProfile) {
  const clock = new FakeClock();
  const routes = toProfileRoutes({ clock, heapSnapshots, contention });
  const get = async (path: string, signal: AbortSignal, query = ''): Promise<HttpReply> => {
    const match = findRoute(routes, 'GET', path);
    assert.ok(match.kind === 'handler', path);
    const request = { ...REQUEST, path, query: new URLSearchParams(query), params: match.params };
    return match.handle(request, signal);
  };
  return { clock, get };
}

async function readAll(reply: HttpReply, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  await reply.stream?.({ write: async (chunk) => void chunks.push(chunk) }, signal);
  return Buffer.concat(chunks).toString();
}

describe('toProfileRoutes', () => {
  const { signal } = new AbortController();

  it('the heap of the kubelet: a profile of it is numbers, whatever is set', async () => {
    for (const heapSnapshots of [true, false]) {
      const reply = await make(heapSnapshots).get('/debug/pprof/heap', signal);
      assert.equal(reply.stream, undefined);
      assert.match(reply.headers['content-type'] ?? '', /^text\/plain/);
      assert.match(reply.body, /^used_heap_size \d+$/m);
      assert.match(reply.body, /^rss \d+$/m);
      for (const line of reply.body.trimEnd().split('\n')) assert.match(line, /^[\w/]+ \d+$/);
    }
  });

  it('waits are measured only where a setting asks for it', async () => {
    const off = await make(false).get('/debug/pprof/block', signal);
    assert.deepEqual(
      [off.status, off.body],
      [200, 'nothing is measured; enableContentionProfiling enables it.\n'],
    );
    const contention = new ContentionProfile();
    using _measuring = await contention.start();
    const read = async (): Promise<Map<string, number>> => {
      const { body } = await make(false, contention).get('/debug/pprof/block', signal);
      return new Map(
        body
          .trimEnd()
          .split('\n')
          .map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]),
      );
    };
    let found = await read();
    // Real time, because it is the delay of the real event loop. Only what waits between two turns of the
    // measuring is seen, so that one long turn may go unnoticed.
    while ((found.get('wait_max') ?? 0) < 0.1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const held = Date.now() + 250;
      while (Date.now() < held);
      await new Promise((resolve) => setTimeout(resolve, 5));
      found = await read();
    }
    assert.ok((found.get('samples') ?? 0) > 0);
    assert.deepEqual(
      [...found.keys()],
      ['samples', 'wait_min', 'wait_mean', 'wait_p50', 'wait_p90', 'wait_p99', 'wait_p99.9', 'wait_max'],
    );
  });

  it('heap snapshots are off unless they are asked for by a setting of their own', async () => {
    const reply = await make(false).get('/heapsnapshot', signal);
    assert.deepEqual(
      [reply.status, reply.body],
      [405, 'heap snapshots are disabled; --enable-heap-snapshots enables them.\n'],
    );
  });

  it('streams a snapshot where the setting is on', { timeout: 60_000 }, async () => {
    const { get, clock } = make(true);
    const reply = await get('/heapsnapshot', signal);
    assert.match(await readAll(reply, signal), /^{"snapshot":/);
    assert.equal(clock.pendingTimers, 0);
  });

  it('profiles one at a time: a snapshot counts until it is sent or its client has gone', async () => {
    const { get, clock } = make(true);
    const first = new AbortController();
    const reply = await get('/heapsnapshot', first.signal);
    for (const path of ['/heapsnapshot', '/debug/pprof/profile'])
      assert.equal((await get(path, signal)).status, 500);
    const stuck = reply.stream?.({ write: () => new Promise(() => {}) }, first.signal);
    assert.equal((await get('/heapsnapshot', signal)).status, 500);
    first.abort();
    await assert.rejects(stuck ?? Promise.resolve());
    assert.equal((await get('/heapsnapshot', new AbortController().signal)).status, 200);
    assert.equal(clock.pendingTimers, 0);
  });

  it('a snapshot whose client stops reading ends, and lets the next one in', async () => {
    const { get, clock } = make(true);
    const reply = await get('/heapsnapshot', signal);
    const stuck = reply.stream?.({ write: () => new Promise(() => {}) }, signal) ?? Promise.resolve();
    const ended = assert.rejects(stuck, /not taken within/);
    await clock.advance(600_000);
    await ended;
    assert.equal((await get('/heapsnapshot', signal)).status, 200);
  });

  it('a client that goes before its snapshot begins takes no place', async () => {
    const { get } = make(true);
    const first = new AbortController();
    await get('/heapsnapshot', first.signal);
    first.abort();
    assert.equal((await get('/heapsnapshot', AbortSignal.abort())).status, 200);
    assert.equal((await get('/heapsnapshot', signal)).status, 200);
  });
});
