import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SamplePage, samplePagePod } from '../../../test/samples/sample-page.ts';
import type { HttpListener } from '../http/http-listener.ts';
import { createPageServer } from './page-server.ts';

const TOKEN = 'A'.repeat(43);
const clock = new FakeClock();
const sample = new SamplePage(clock);
let listener: HttpListener;
let port: number;

before(async () => {
  listener = createPageServer(0, sample.source, TOKEN);
  port = await listener.start();
});
after(async () => {
  const stopped = listener.stop();
  await clock.advance(10_000);
  await stopped;
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const asking = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { host: 'localhost', ...headers },
    agent: false,
  });
  asking.end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function enter(): Promise<string> {
  const { headers } = await ask(`/?token=${TOKEN}`);
  return String(headers['set-cookie']?.[0]?.split(';')[0]);
}

describe('page on the loopback port', () => {
  it('lets no caller in without the token, whatever is asked for', async () => {
    for (const path of [
      '/',
      '/images',
      '/script.js',
      '/drawn.svg?page=1',
      '/live?view=',
      '/logs/a/b/c',
      '/?token=',
      '/?token=wrong',
    ]) {
      const { status, body } = await ask(path);
      assert.equal(status, 403, path);
      assert.match(body, /kubelet page/);
    }
    assert.equal((await ask('/', { cookie: `kubelet-page=${TOKEN}; kubelet-page-00000000=1` })).status, 403);
  });

  it('makes a cookie of the token, for this site alone and out of reach of scripts, and drops it from the address', async () => {
    const { status, headers } = await ask(`/images?lang=zh&token=${TOKEN}`);
    assert.deepEqual([status, headers.location], [303, '/images?lang=zh']);
    const cookie = headers['set-cookie']?.[0] ?? '';
    assert.match(cookie, /^kubelet-page-[0-9a-f]{8}=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.ok(!cookie.includes(TOKEN));
    const known = await ask('/images', { cookie: `other=1; ${await enter()}` });
    assert.equal(known.status, 200);
  });

  it('answers to no name but those of loopback: a site cannot point its own name here', async () => {
    const cookie = await enter();
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:4194', '10.0.0.1'])
      assert.equal((await ask('/', { host, cookie })).status, 403, host);
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:4194', '[::1]:4194'])
      assert.equal((await ask('/', { host, cookie })).status, 200, host);
  });

  it('is loaded by no other page, and may be led to from one', async () => {
    const cookie = await enter();
    const from = (site: string, mode: string, dest: string) =>
      ask('/', { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest });
    assert.equal((await from('same-site', 'no-cors', 'script')).status, 403);
    assert.equal((await from('cross-site', 'navigate', 'iframe')).status, 403);
    assert.equal((await from('cross-site', 'navigate', 'document')).status, 200);
    assert.equal((await from('same-origin', 'cors', 'empty')).status, 200);
  });

  it('redirects nowhere else', async () => {
    const { headers } = await ask(`/%2f%2fevil.example/?token=${TOKEN}`);
    assert.match(headers.location ?? '', /^\/[^/]/);
  });

  it('takes GET and HEAD only', async () => {
    const cookie = await enter();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      assert.equal((await ask('/', { cookie }, method)).status, 405, method);
    const { status, body } = await ask('/', { cookie }, 'HEAD');
    assert.deepEqual([status, body], [200, '']);
    assert.equal((await ask('/live?view=', { cookie }, 'HEAD')).status, 200);
  });

  it('drops a client that stops reading', async () => {
    const cookie = await enter();
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(`GET /live?view=events HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
    await once(socket, 'readable');
    // Updates of a megabyte each: what the sockets hold in between is soon full.
    const object = { apiVersion: 'v1' as const, kind: 'Pod' as const, name: 'web', namespace: 'default' };
    for (let count = 0; count < 30 && sample.listeners > 0; count++) {
      const message = String(count).repeat(5_000);
      sample.events = Array.from({ length: 200 }, () => ({
        object,
        type: 'Normal' as const,
        reason: 'R',
        message,
        count: 1,
        firstAtMs: 0,
        lastAtMs: 0,
      }));
      sample.changed();
      await clock.advance(1_000);
      await new Promise(setImmediate);
    }
    await clock.advance(31_000);
    await new Promise(setImmediate);
    sample.events = [];
    assert.equal(sample.listeners, 0);
    socket.destroy();
  });

  it('sends many pods once the browser has drawn the top, and drops a browser that leaves in between', async () => {
    const cookie = await enter();
    sample.pods = Array.from({ length: 100 }, (_, index) => samplePagePod(`many-${index}`));
    const open = async () => {
      const headers = { host: 'localhost', cookie, 'sec-fetch-dest': 'document' };
      const asking = request({ host: '127.0.0.1', port, path: '/', headers, agent: false });
      asking.on('error', () => {});
      asking.end();
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      response.on('error', () => {});
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      while (!text.includes('class="mark"')) await new Promise(setImmediate);
      return { asking, text: () => text };
    };
    const page = await open();
    assert.doesNotMatch(page.text(), /many-0/);
    const [, mark = ''] = /class="mark" src="\.(\/[^"]+)"/.exec(page.text()) ?? [];
    assert.equal((await ask(mark, { cookie })).headers['content-type'], 'image/svg+xml; charset=utf-8');
    while (!page.text().endsWith('</html>\n')) await new Promise(setImmediate);
    assert.match(page.text(), />many-99</);
    (await open()).asking.destroy();
    while (listener.openRequests > 0) await new Promise(setImmediate);
    assert.equal(clock.pendingTimers, 0);
    sample.pods = [];
  });

  it('stays up to date over the wire', async () => {
    const cookie = await enter();
    const asking = request({
      host: '127.0.0.1',
      port,
      path: '/live?view=',
      headers: { host: 'localhost', cookie },
      agent: false,
    });
    asking.end();
    const [response] = (await once(asking, 'response')) as [IncomingMessage];
    assert.equal(response.headers['content-type'], 'text/event-stream');
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(text)) {
        await clock.advance(600);
        await new Promise(setImmediate);
      }
    };
    await until(/There are no pods/);
    sample.pods = [samplePagePod('fresh')];
    sample.changed();
    await until(/>fresh</);
    asking.destroy();
  });
});
