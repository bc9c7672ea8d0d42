import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SamplePage, samplePagePod } from '../../../test/samples/sample-page.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { PageSite } from './page-site.ts';

const BROWSER = { 'sec-fetch-dest': 'document' };
const MARK = /<img class="mark" src="([^"]+)" alt="" loading="lazy">\n/;

/** A page under way: what has been written, and whether it has ended. */
function createReader(podCount: number) {
  const clock = new FakeClock({ turns: 2 });
  const sample = new SamplePage(clock);
  sample.pods = Array.from({ length: podCount }, (_, index) => samplePagePod(`web-${index}`));
  const site = new PageSite(sample.source);
  const reply = (target: string, headers: Record<string, string>, method = 'GET'): Promise<HttpReply> => {
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const path = pathname.split('/').filter((part) => part !== '');
    const request = { method, path: pathname, query: searchParams, headers, body: new Uint8Array() };
    return site.reply(request, path, new AbortController().signal);
  };
  const open = async (target: string, headers: Record<string, string> = BROWSER) => {
    const parts: string[] = [];
    const gone = new AbortController();
    const write = async (chunk: Uint8Array): Promise<void> => {
      if (gone.signal.aborted) throw new Error('the client has gone');
      parts.push(Buffer.from(chunk).toString());
    };
    const ended = (await reply(target, headers)).stream?.({ write }, gone.signal) ?? assert.fail('no stream');
    ended.catch(() => {});
    await clock.advance(0);
    return { parts, gone, ended };
  };
  const markOf = (parts: readonly string[]): string =>
    MARK.exec(parts.join(''))?.[1] ?? assert.fail('no mark');
  return { clock, sample, reply, open, markOf };
}

describe('streamPage', () => {
  it('sends many pods once the browser has drawn what stands above them', async () => {
    const { clock, reply, open, markOf } = createReader(100);
    const { parts, ended } = await open('/');
    assert.match(parts.join(''), /<section id="node".*<\/section>\n<img class="mark"[^>]*>\n$/s);
    await clock.advance(100);
    assert.equal(parts.length, 2);
    const mark = await reply(markOf(parts), {});
    assert.deepEqual([mark.status, mark.headers['content-type']], [200, 'image/svg+xml; charset=utf-8']);
    await ended;
    assert.match(parts[2] ?? '', /^<section id="pods".*>web-99<\/a>.*<\/html>\n$/s);
    assert.equal(clock.pendingTimers, 0);
  });

  it('sends the same document to a caller that draws nothing, at once', async () => {
    const { clock, open } = createReader(100);
    const drawn = await open('/');
    const plain = await open('/', {});
    await plain.ended;
    await clock.advance(1_000);
    await drawn.ended;
    assert.equal(drawn.parts.join('').replace(MARK, ''), plain.parts.join(''));
  });

  it('sends a short page at once', async () => {
    const { open } = createReader(5);
    const { parts, ended } = await open('/');
    await ended;
    assert.equal(parts.length, 2);
    assert.doesNotMatch(parts.join(''), MARK);
  });

  it('shows the frame first where one long section is all there is', async () => {
    const { clock, sample, open } = createReader(0);
    const object = { apiVersion: 'v1' as const, kind: 'Pod' as const, name: 'web', namespace: 'default' };
    const times = { count: 1, firstAtMs: clock.now(), lastAtMs: clock.now() };
    sample.events = Array.from({ length: 100 }, () => ({
      object,
      type: 'Normal' as const,
      reason: 'Started',
      message: 'Container started',
      ...times,
    }));
    const { parts, ended } = await open('/events');
    assert.match(parts.join(''), /<main [^>]*>\n<img class="mark" src=".\/drawn.svg\?page=1"[^>]*>\n$/);
    await clock.advance(250);
    await ended;
    assert.match(parts.at(-1) ?? '', /^<section id="events"/);
  });

  it('ends with the reader that goes in between, and leaves no timer', async () => {
    const { clock, reply, open, markOf } = createReader(100);
    const { parts, gone, ended } = await open('/');
    gone.abort();
    await assert.rejects(ended, /the client has gone/);
    assert.equal(clock.pendingTimers, 0);
    assert.equal((await reply(markOf(parts), {})).status, 200);
    await clock.advance(1_000);
    assert.equal(parts.length, 2);
  });

  it('answers HEAD for the mark', async () => {
    const { reply } = createReader(0);
    const { status, body } = await reply('/drawn.svg?page=1', {}, 'HEAD');
    assert.deepEqual([status, body], [200, '']);
  });
});
