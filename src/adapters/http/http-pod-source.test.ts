/** Static pods from a URL, read from a server on a port of its own, on virtual time. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Pod } from '../../core/api/pod.ts';
import { HttpPodSource } from './http-pod-source.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'a', image: 'i' }] },
};
const OTHER = { ...POD, metadata: { name: 'other' } };
const LIST = {
  apiVersion: 'v1',
  kind: 'PodList',
  items: [{ metadata: POD.metadata, spec: POD.spec }, OTHER],
};

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const ok =
  (body: unknown): Answer =>
  (_request, response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
const status =
  (code: number): Answer =>
  (_request, response) =>
    response.writeHead(code).end('secret page');

describe('HttpPodSource', () => {
  let answer: Answer = ok('');
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  let clock: FakeClock;
  let logger: RecordingLogger;
  let stop: AbortController;
  let running: Promise<void>;
  let delivered: string[][];
  let url: string;

  beforeEach(async () => {
    seen.length = 0;
    delivered = [];
    clock = new FakeClock();
    logger = new RecordingLogger();
    stop = new AbortController();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pods`;
  });
  afterEach(async () => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function start(headers: Record<string, string[]> = {}, target = url): void {
    const source = new HttpPodSource({
      url: target,
      headers,
      nodeName: 'node-1',
      httpCheckFrequencyMs: 20_000,
      clock,
      logger,
    });
    running = source.run(stop.signal, (pods: readonly Pod[]) =>
      delivered.push(pods.map((pod) => pod.metadata.name)),
    );
  }

  /** A read has ended when the source waits for the next one. */
  async function lookEnds(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.pendingTimers === 1 && (clock.nextTimerAtMs ?? 0) - clock.now() === 20_000) return;
    }
  }

  async function lookAgain(next: Answer): Promise<void> {
    answer = next;
    await clock.advance(20_000);
    await lookEnds();
  }

  it('delivers a Pod, with the name of the node and the UID of its URL, and sends every header value', async () => {
    answer = ok(POD);
    start({ 'X-Team': ['a', 'b'], Host: ['elsewhere'] });
    await lookEnds();
    assert.deepEqual(delivered, [['web-node-1']]);
    assert.equal(seen[0]?.headers['x-team'], 'a, b');
    assert.match(seen[0]?.headers.host ?? '', /^127\.0\.0\.1/);
  });

  it('delivers a PodList whose items do not say what they are, also as YAML', async () => {
    answer = ok(LIST);
    start();
    await lookEnds();
    await lookAgain(
      ok(
        'apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: yaml}\n  spec: {containers: [{name: a, image: i}]}\n',
      ),
    );
    assert.deepEqual(delivered, [['web-node-1', 'other-node-1'], ['yaml-node-1']]);
  });

  it('delivers nothing when the body is the same, and delivers again when it differs', async () => {
    answer = ok(POD);
    start();
    await lookEnds();
    await lookAgain(ok(POD));
    assert.equal(delivered.length, 1);
    await lookAgain(ok(OTHER));
    assert.deepEqual(delivered[1], ['other-node-1']);
  });

  it('keeps the last set when the status is not 200 or the document is bad as a whole', async () => {
    answer = ok(POD);
    start();
    await lookEnds();
    await lookAgain(status(500));
    const oneBad = { ...LIST, items: [POD, { ...OTHER, spec: { containers: [] } }] };
    await lookAgain(ok(oneBad));
    assert.deepEqual(delivered, [['web-node-1']]);
    const failures = logger.messages('info').filter((line) => line.startsWith('cannot'));
    assert.equal(failures.length, 2);
    const text = JSON.stringify(logger.lines);
    assert.match(text, /500 Internal Server Error/);
    assert.match(text, /spec\.containers/);
    assert.doesNotMatch(text, /secret page/);
    await lookAgain(ok(oneBad));
    assert.equal(logger.messages('info').filter((line) => line.startsWith('cannot')).length, 2);
  });

  it('an empty body is an empty set and a failure', async () => {
    answer = ok(POD);
    start();
    await lookEnds();
    await lookAgain(ok(''));
    assert.deepEqual(delivered, [['web-node-1'], []]);
    assert.match(JSON.stringify(logger.lines), /zero-length data received/);
    await lookAgain(ok(POD));
    assert.equal(delivered.length, 3);
  });

  it('logs three failures, announces with the fourth that later ones are logged at verbosity 4, then does so', async () => {
    answer = status(404);
    start();
    await lookEnds();
    for (let i = 0; i < 4; i++) await lookAgain(status(404));
    assert.equal(logger.messages('info').filter((line) => line === 'cannot read pods from URL').length, 3);
    assert.equal(logger.messages('info').filter((line) => line.includes('verbosity')).length, 1);
    assert.equal(logger.messages('debug').length, 1);
    await lookAgain(ok(POD));
    assert.equal(logger.messages('info').at(-1), 'pods read from URL');
  });

  it('gives up after ten seconds', async () => {
    answer = () => {};
    start();
    while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(10_000);
    while (logger.lines.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.match(JSON.stringify(logger.lines), /no answer after 10s/);
    assert.deepEqual(delivered, []);
  });

  it('follows ten redirects and not eleven; another host does not get credentials', async () => {
    let left = 10;
    const redirect: Answer = (request, response) => {
      if (left-- === 0) ok(POD)(request, response);
      else
        response
          .writeHead(302, { location: left === 0 ? url.replace('127.0.0.1', 'localhost') : '/next' })
          .end();
    };
    answer = redirect;
    start({ Authorization: ['Bearer t'], 'X-Team': ['a'] });
    await lookEnds();
    assert.deepEqual(delivered, [['web-node-1']]);
    assert.equal(seen[9]?.headers.authorization, 'Bearer t');
    assert.equal(seen[10]?.headers.authorization, undefined);
    assert.equal(seen[10]?.headers['x-team'], 'a');
    left = 11;
    await lookAgain(redirect);
    assert.equal(delivered.length, 1);
    assert.match(JSON.stringify(logger.lines), /stopped after 10 redirects/);
  });

  it('refuses a body that is larger than 10 MiB', async () => {
    answer = ok(`#${'x'.repeat(10 * 1024 * 1024)}\n${JSON.stringify(POD)}`);
    start();
    await lookEnds();
    assert.deepEqual(delivered, []);
    assert.match(JSON.stringify(logger.lines), /larger than 10 MiB/);
  });

  it('does not log user and password of the URL', async () => {
    answer = status(403);
    start({}, url.replace('http://', 'http://me:pass@'));
    await lookEnds();
    assert.match(seen[0]?.headers.authorization ?? '', /^Basic /);
    assert.doesNotMatch(JSON.stringify(logger.lines), /pass/);
  });
});
