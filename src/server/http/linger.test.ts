import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { createLogger } from '../../base/log.ts';
import { HttpListener } from './http-listener.ts';
import type { Route } from './route-list.ts';

const clock = new FakeClock();
const log = createLogger({ format: 'text', verbosity: 0, now: () => 0, pid: 1, write: () => {} });
const REQUEST = 'GET /up/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
const turn = (): Promise<void> => new Promise(setImmediate);
let listener: HttpListener;
let client: Socket;
let problems: Error[];
let served: boolean;

/** A client of a stream that is over as soon as it stands. */
beforeEach(async () => {
  problems = [];
  served = false;
  const route: Route = {
    path: '/up/',
    methods: 'any',
    upgrades: true,
    handle: () => ({
      status: 101,
      headers: {},
      body: '',
      takeOver: async ({ socket }) => {
        socket.write('the last words');
        served = true;
      },
    }),
  };
  listener = new HttpListener({
    name: 'test',
    place: { address: '127.0.0.1', port: 0 },
    routes: [route],
    kit: { clock, logger: log },
  });
  client = connect({ port: await listener.start(), host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', (error) => problems.push(error));
  client.write(REQUEST);
  while (!served) await turn();
  // What was to be destroyed at once would be by now.
  for (let n = 0; n < 5; n++) await turn();
});
afterEach(async () => {
  client.destroy();
  await listener.stop();
  assert.equal(clock.pendingTimers, 0);
});

describe('a connection whose stream is over', () => {
  it('is not reset for what the client still sends, and closed when the client closes', async () => {
    for (let n = 0; n < 5; n++) {
      client.write('not yet read what you said');
      await turn();
    }
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(client, 'end');
    assert.deepEqual([text, problems], ['the last words', []]);
    assert.equal(listener.openStreams, 1);
    client.end();
    while (listener.openStreams > 0) await turn();
    assert.deepEqual(problems, []);
  });

  it('does not wait forever for its client', async () => {
    await clock.advance(59_000);
    assert.equal(listener.openStreams, 1);
    await clock.advance(1_000);
    while (listener.openStreams > 0) await turn();
  });

  it('does not outlive its listener', async () => {
    assert.equal(listener.openStreams, 1);
    await listener.stop();
    assert.equal(listener.openStreams, 0);
  });
});
