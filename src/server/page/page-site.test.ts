import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SamplePage, samplePagePod } from '../../../test/samples/sample-page.ts';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import { PageSite } from './page-site.ts';

interface Asked {
  readonly reply: HttpReply;
  readonly stop: AbortController;
}

function createSite() {
  const clock = new FakeClock();
  const sample = new SamplePage(clock);
  const site = new PageSite(sample.source);
  const ask = async (target: string, more: Partial<HttpRequest> = {}): Promise<Asked> => {
    const url = new URL(target, 'http://localhost');
    const stop = new AbortController();
    const path = decodeURIComponent(url.pathname)
      .split('/')
      .filter((part) => part !== '');
    const request = {
      method: 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: {},
      body: new Uint8Array(),
      ...more,
    };
    const reply = await site.reply(request, path, stop.signal);
    return { reply: await withWholePage(reply, stop.signal), stop };
  };
  return { clock, sample, ask };
}

/** Pages come in parts, which most tests need not know. */
async function withWholePage(reply: HttpReply, signal: AbortSignal): Promise<HttpReply> {
  if (reply.stream === undefined || !reply.headers['content-type']?.startsWith('text/html')) return reply;
  return { ...reply, body: (await readParts(reply, signal)).join('') };
}

async function readParts({ stream }: HttpReply, signal: AbortSignal): Promise<string[]> {
  const parts: string[] = [];
  const write = async (chunk: Uint8Array): Promise<void> => void parts.push(Buffer.from(chunk).toString());
  await stream?.({ write }, signal);
  return parts;
}

/** What a stream writes, as far as it has come. */
function collect({ reply, stop }: Asked): {
  messages: () => { ids: string[]; changed: Record<string, string> }[];
  text: () => string;
  ended: Promise<void>;
} {
  let text = '';
  const sink = {
    write: async (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
    },
  };
  const ended = reply.stream?.(sink, stop.signal) ?? assert.fail('no stream');
  const messages = () =>
    text
      .split('\n\n')
      .filter((part) => part.startsWith('data: '))
      .map((part) => JSON.parse(part.slice(6)));
  return { messages, text: () => text, ended };
}

const EVIL = `<img src=x onerror="alert('xss')"><script>alert(1)<b>"'\`&`;

describe('PageSite', () => {
  it('answers everything with a strict policy, uncached and unguessed', async () => {
    const { ask } = createSite();
    for (const target of [
      '/',
      '/images',
      '/script.js',
      '/drawn.svg',
      '/live?view=',
      '/none',
      '/logs/a/b/c',
    ]) {
      const { reply, stop } = await ask(target);
      assert.equal(
        reply.headers['content-security-policy']?.replace(/sha256-[A-Za-z0-9+/]{43}=/, 'HASH'),
        "default-src 'none'; script-src 'self'; style-src 'HASH'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      );
      assert.equal(reply.headers['x-content-type-options'], 'nosniff', target);
      assert.equal(reply.headers['cache-control'], 'no-store', target);
      stop.abort();
    }
  });

  it('brings its style with it, which the policy knows by its hash', async () => {
    const { reply } = await createSite().ask('/');
    const styles = [...reply.body.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text = '']) => text);
    const hashes = styles.map((text) => createHash('sha256').update(text).digest('base64'));
    const [, allowed] =
      /style-src 'sha256-([^']+)'/.exec(reply.headers['content-security-policy'] ?? '') ?? [];
    assert.deepEqual(hashes, [allowed]);
    assert.doesNotMatch(reply.body, / style=|stylesheet/);
  });

  it('is shown from its top before what it is about is gathered', async () => {
    const { sample, ask } = createSite();
    const { reply, stop } = await ask('/');
    const known: number[] = [];
    const parts: string[] = [];
    const write = async (chunk: Uint8Array): Promise<void> => {
      known.push(sample.pods.length);
      parts.push(Buffer.from(chunk).toString());
      sample.pods = [samplePagePod('web')];
    };
    await reply.stream?.({ write }, stop.signal);
    assert.deepEqual(known, [0, 1]);
    const [top = '', rest = ''] = parts;
    assert.match(top, /<h1><a href=".\/">n1<\/a><\/h1>.*<main id="content" tabindex="-1">\n$/s);
    assert.match(rest, /^<section id="node".*>web<\/a>.*<\/html>\n$/s);
  });

  it('answers HEAD without gathering anything', async () => {
    const { ask } = createSite();
    const { reply } = await ask('/', { method: 'HEAD' });
    assert.deepEqual([reply.status, reply.body, reply.stream], [200, '', undefined]);
    assert.equal((await ask('/none', { method: 'HEAD' })).reply.status, 404);
  });

  it('shows pods with state, readiness, restarts and age', async () => {
    const { sample, ask } = createSite();
    sample.pods = [samplePagePod('web')];
    const { reply } = await ask('/');
    assert.equal(reply.status, 200);
    assert.match(reply.body, /<a href=".\/pods\/default\/web\?uid=uid-web">web<\/a>/);
    assert.match(reply.body, /<span class="state good">Running<\/span>/);
    assert.match(reply.body, />1\/1</);
    assert.match(reply.body, /data-since="\d+">4m5s<\/time>/);
  });

  it('shows text of pods whatever it ends with, and names with halves of characters', async () => {
    const { sample, ask, clock } = createSite();
    sample.pods = [samplePagePod('web', { conditions: [] })];
    const tried = 'cannot pull "registry.example/a?token=';
    sample.explanations = {
      'uid-web': { state: 'waiting', sentence: '', waitsFor: 'a=', tried, nextTryAtMs: clock.now() + 1000 },
    };
    const [file, why] = ['/etc/kubernetes/manifests/\ud800.yaml', 'no pod'];
    sample.rejected = [{ file, line: 1, why, sinceMs: clock.now() }];
    const { reply } = await ask('/');
    assert.equal(reply.status, 200);
    assert.match(reply.body, /token=; /);
    const container = `${'a'.repeat(252)}\u{1f600}`;
    assert.equal(
      (await ask(`/pods/default/web?container=${encodeURIComponent(container)}`)).reply.status,
      200,
    );
  });

  it('explains a pod that is not ready, and leaves out one that has completed', async () => {
    const { sample, ask, clock } = createSite();
    const waiting = { state: { waiting: { reason: 'CrashLoopBackOff' } }, ready: false };
    const [running] = samplePagePod('x').status?.containerStatuses ?? assert.fail();
    sample.pods = [
      samplePagePod('loop', { conditions: [], containerStatuses: [{ ...running!, ...waiting }] }),
      samplePagePod('job', { phase: 'Succeeded', conditions: [] }),
    ];
    sample.explanations = {
      'uid-loop': {
        state: 'waiting',
        sentence: '',
        waitsFor: 'the back-off of container "main"',
        sinceMs: clock.now() - 12_000,
        tried: 'it ended with exit code 3',
        nextTryAtMs: clock.now() + 20_000,
      },
      'uid-job': { state: 'ended', sentence: '', waitsFor: 'as Succeeded' },
    };
    const { body } = (await ask('/')).reply;
    assert.match(body, /<span class="state bad">CrashLoopBackOff<\/span>/);
    const text = body.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"');
    assert.match(
      text,
      /Waiting for the back-off of container "main" \(for 12s\): it ended with exit code 3; next try in 20s\./,
    );
    assert.doesNotMatch(text, /as Succeeded/);
  });

  it('shows rejected manifests as rows with their reason', async () => {
    const { sample, ask, clock } = createSite();
    const subject = { kind: 'Pod', name: 'broken-n1', namespace: 'default' };
    sample.rejected = [
      { subject, file: '/m/a.yaml', line: 7, why: 'spec.x: unknown field', sinceMs: clock.now() },
    ];
    const { body } = (await ask('/')).reply;
    assert.match(body, /broken-n1.*Rejected.*\/m\/a\.yaml:7: spec\.x: unknown field/s);
  });

  it('shows hostile text of every field that a pod, an image or a manifest controls as text', async () => {
    const { sample, ask, clock } = createSite();
    const bad = samplePagePod(EVIL);
    const status = bad.status ?? assert.fail();
    const [container] = status.containerStatuses ?? assert.fail();
    sample.pods = [
      {
        ...bad,
        metadata: { ...bad.metadata, namespace: EVIL, uid: EVIL },
        spec: {
          containers: [{ name: EVIL, image: EVIL, volumeMounts: [{ name: EVIL, mountPath: EVIL }] }],
          volumes: [{ name: EVIL, [EVIL]: {} } as never],
        },
        status: {
          phase: 'Pending',
          reason: EVIL,
          message: EVIL,
          podIP: EVIL,
          containerStatuses: [
            {
              ...container!,
              name: EVIL,
              containerID: EVIL,
              image: EVIL,
              state: { waiting: { reason: EVIL } },
              ready: false,
            },
          ],
        },
      },
    ];
    sample.explanations = {
      [EVIL]: {
        state: 'waiting',
        sentence: EVIL,
        waitsFor: EVIL,
        tried: EVIL,
        nextStep: EVIL,
        nextTryAtMs: 5,
      },
    };
    sample.timelines = {
      [EVIL]: { seenAtMs: 0, leftOut: 3, steps: [{ what: EVIL, about: EVIL, problem: EVIL, startMs: 1 }] },
    };
    const object = {
      apiVersion: EVIL,
      kind: EVIL,
      name: EVIL,
      namespace: EVIL,
      uid: EVIL,
      fieldPath: `{${EVIL}}`,
    };
    sample.events = [
      {
        object,
        type: EVIL,
        reason: EVIL,
        message: EVIL,
        count: 2,
        firstAtMs: 0,
        lastAtMs: clock.now(),
      } as never,
    ];
    sample.rejected = [
      { subject: { kind: EVIL, name: EVIL, namespace: EVIL }, file: EVIL, why: EVIL, sinceMs: 0 },
    ];
    sample.images = {
      images: [
        {
          id: EVIL,
          repoTags: [EVIL],
          repoDigests: [],
          sizeBytes: 1,
          pinned: false,
          firstDetectedMs: 0,
          lastUsedMs: 0,
          inUse: false,
        },
      ],
      fileSystem: undefined,
      space: undefined,
      wouldRemove: [EVIL],
    };
    sample.problems = [EVIL];
    const evil = encodeURIComponent(EVIL);
    const pages = [
      '/',
      '/events',
      '/images',
      '/volumes',
      `/?lang=${evil}`,
      `/pods/${evil}/${evil}?uid=${evil}&container=${evil}`,
    ];
    for (const target of pages) {
      const { body } = (await ask(target)).reply;
      assert.ok(target.includes('lang') || body.includes('&lt;img src=x onerror='), target);
      assert.doesNotMatch(body, /<img|<script>|<b>"|onerror="/, target);
      // Attributes hold no quote, so their number is what the templates say.
      for (const tag of body.match(/<[a-z][^>]*>/g) ?? []) assert.doesNotMatch(tag, /alert\('xss'\)/, tag);
    }
  });

  it('shows no environment, no command and no annotation', async () => {
    const { sample, ask } = createSite();
    const pod = samplePagePod('web');
    const secret = 'hunter2';
    sample.pods = [
      {
        ...pod,
        metadata: { ...pod.metadata, annotations: { note: secret } },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'a',
              env: [{ name: 'A', value: secret }],
              command: [secret],
              args: [secret],
            },
          ],
        },
      },
    ];
    for (const target of ['/', '/volumes', '/pods/default/web'])
      assert.doesNotMatch((await ask(target)).reply.body, /hunter2/);
  });

  it('speaks the language of the address, else that of the browser', async () => {
    const { ask } = createSite();
    const chinese = (await ask('/', { headers: { 'accept-language': 'de;q=0.5, zh-TW' } })).reply.body;
    assert.match(chinese, /<html lang="zh-CN">.*没有 Pod。/s);
    const english = (await ask('/?lang=en', { headers: { 'accept-language': 'zh' } })).reply.body;
    assert.match(english, /<html lang="en">.*There are no pods\./s);
    assert.match(english, /href="\.\/images\?lang=en"/);
    assert.match((await ask('/')).reply.body, /<html lang="en">/);
  });

  it('uses addresses that hold below any prefix', async () => {
    const { sample, ask } = createSite();
    sample.pods = [samplePagePod('web')];
    for (const [target, script] of [
      ['/', './script.js'],
      ['/images', './script.js'],
      ['/pods/default/web', '../../script.js'],
    ] as const) {
      const { body } = (await ask(target)).reply;
      assert.ok(body.includes(`src="${script}"`), target);
      assert.doesNotMatch(body, /(href|src|data-live|data-src)="(\/|http)/);
    }
  });

  it('says so when there is no such page, or the pod is gone', async () => {
    const { ask } = createSite();
    for (const target of ['/none', '/pods/a', '/pods/a/b/c', '/images/x', '/constructor'])
      assert.equal((await ask(target)).reply.status, 404, target);
    assert.match((await ask('/pods/default/gone')).reply.body, /This pod is gone\./);
    assert.equal((await ask('/live?view=none')).reply.status, 404);
  });

  it('shows the life of a pod as steps with bars', async () => {
    const { sample, ask } = createSite();
    sample.pods = [samplePagePod('web')];
    const steps = [
      { what: 'admission', startMs: 0, endMs: 10 },
      { what: 'image', about: 'busybox:1', startMs: 10, endMs: 1_510, problem: 'ErrImagePull', tries: 2 },
      { what: 'ready', startMs: 2_000, endMs: 2_000 },
      { what: 'ended', about: 'main', startMs: 60_000, endMs: 60_000 },
    ];
    sample.timelines = { 'uid-web': { seenAtMs: 0, steps, leftOut: 0 } };
    const { body } = (await ask('/pods/default/web')).reply;
    assert.match(body, /Ready after 2\.00s\./);
    assert.match(
      body,
      /image <b>busybox:1<\/b> <small>\(ErrImagePull, 2 tries\)<\/small>.*>1\.50s<.*<rect class="bad"/s,
    );
    assert.equal(body.match(/<svg class="bar"/g)?.length, 3);
  });
});

describe('PageSite: updates', () => {
  it('sends all sections first, then those that changed, and nothing while nothing happens', async () => {
    const { sample, ask, clock } = createSite();
    sample.pods = [samplePagePod('web')];
    const live = collect(await ask('/live?view='));
    await clock.advance(2_000);
    assert.deepEqual(live.messages()[0]?.ids, ['node', 'pods', 'events']);
    assert.deepEqual(Object.keys(live.messages()[0]?.changed ?? {}), ['node', 'pods', 'events']);
    const before = live.messages().length;
    await clock.advance(5_000);
    assert.equal(live.messages().length, before);
    sample.pods = [samplePagePod('web'), samplePagePod('db')];
    sample.changed();
    await clock.advance(600);
    const last = live.messages().at(-1);
    assert.match(last?.changed['pods'] ?? '', />db</);
    assert.equal(last?.changed['events'], undefined);
  });

  it('makes one update of changes in quick succession', async () => {
    const { sample, ask, clock } = createSite();
    const live = collect(await ask('/live?view='));
    await clock.advance(3_000);
    const before = live.messages().length;
    for (let count = 0; count < 100; count++) {
      sample.pods = [samplePagePod(`web-${count}`)];
      sample.changed();
      await clock.advance(10);
    }
    await clock.advance(1_000);
    assert.ok(live.messages().length - before <= 4, String(live.messages().length - before));
    assert.match(live.messages().at(-1)?.changed['pods'] ?? '', />web-99</);
  });

  it('measures while a page is open, once for all, and not after', async () => {
    const { sample, ask, clock } = createSite();
    await ask('/');
    await clock.advance(60_000);
    assert.equal(sample.measured, 0);
    const pages = [await ask('/live?view='), await ask('/live?view=')];
    const streams = pages.map(collect);
    await clock.advance(40_000);
    assert.ok(sample.measured >= 3 && sample.measured <= 6, String(sample.measured));
    for (const { stop } of pages) stop.abort();
    await Promise.all(streams.map(({ ended }) => ended));
    const before = sample.measured;
    await clock.advance(60_000);
    assert.deepEqual([sample.measured, sample.listeners], [before, 0]);
  });

  it('shows that a pod is gone in place of all else about it', async () => {
    const { sample, ask, clock } = createSite();
    sample.pods = [samplePagePod('web')];
    const live = collect(await ask('/live?view=pods/default/web'));
    await clock.advance(1_000);
    assert.deepEqual(live.messages()[0]?.ids, ['pod', 'containers', 'log', 'events']);
    sample.pods = [];
    sample.changed();
    await clock.advance(1_000);
    assert.deepEqual(live.messages().at(-1)?.ids, ['pod']);
  });

  it('has a limit of streams, and gives a place back however the stream ends', async () => {
    const { ask } = createSite();
    const peer = (last: number) => ({ peer: { address: `10.0.0.${last}` } });
    const open: Asked[] = [];
    for (let count = 0; count < 16; count++) open.push(await ask('/live?view=', peer(1)));
    assert.equal((await ask('/live?view=', peer(1))).reply.status, 429);
    for (let count = 0; count < 16; count++) open.push(await ask('/logs/default/web/main', peer(2)));
    assert.equal((await ask('/live?view=', peer(3))).reply.status, 429);
    // The client has gone before anything was written.
    open[0]?.stop.abort();
    assert.equal((await ask('/live?view=', peer(3))).reply.status, 200);
  });
});

describe('PageSite: logs', () => {
  it('streams the log of a container as text that is never markup', async () => {
    const { sample, ask } = createSite();
    sample.pods = [samplePagePod('web')];
    sample.log = '<script>alert(1)</script>\n';
    const asked = await ask('/logs/default/web/main?uid=uid-web&follow=1');
    assert.equal(asked.reply.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(asked.reply.stallMs, 30_000);
    const { text, ended } = collect(asked);
    await ended;
    assert.equal(text(), sample.log);
  });

  it('says why there is none', async () => {
    const { ask } = createSite();
    assert.equal((await ask('/logs/default/none/main')).reply.status, 404);
    assert.equal((await ask('/logs/default/none')).reply.status, 404);
  });
});
