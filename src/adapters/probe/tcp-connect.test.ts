import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { tcpConnect } from './tcp-connect.ts';

describe('tcpConnect', () => {
  it('succeeds when the port listens, and closes the connection at once', async () => {
    const clock = new FakeClock();
    const server = createServer();
    const hungUp = Promise.withResolvers<void>();
    server.on('connection', (socket: Socket) => {
      socket.resume();
      socket.on('error', () => {});
      socket.on('close', () => hungUp.resolve());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const options = { signal: new AbortController().signal, timeoutMs: 1000 };
    assert.equal(await tcpConnect(clock, '127.0.0.1', port, options), undefined);
    await hungUp.promise;
    assert.equal(clock.pendingTimers, 0);
    server.close();
    await once(server, 'close');
    assert.deepEqual(await tcpConnect(clock, '127.0.0.1', port, options), {
      kind: 'failure',
      message: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });

  it('fails when nothing answers within the time limit', async () => {
    const clock = new FakeClock();
    // An address of a network for documentation: nothing there ever answers or refuses at once.
    const options = { signal: new AbortController().signal, timeoutMs: 0 };
    const answer = tcpConnect(clock, '192.0.2.1', 80, options);
    await clock.advanceToNextTimer();
    const { message } = (await answer) ?? { message: '' };
    assert.match(message, /^dial tcp 192\.0\.2\.1:80: (i\/o timeout|connect: network is unreachable)$/);
    assert.equal(clock.pendingTimers, 0);
  });
});
