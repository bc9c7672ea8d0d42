import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { PING } from './health-check.ts';
import { HealthzServer } from './healthz-server.ts';

describe('HealthzServer', () => {
  it('answers on its port until it is stopped', async () => {
    const { server, clock } = make(0);
    const stop = new AbortController();
    const listening = Promise.withResolvers<number>();
    const ended = server.run(stop.signal, listening.resolve);
    const url = `http://127.0.0.1:${await listening.promise}/healthz`;
    assert.equal(await (await fetch(url)).text(), 'ok');
    assert.equal(await (await fetch(`${url}?verbose`)).text(), '[+]ping ok\nhealthz check passed\n');
    assert.equal((await fetch(`${url}/syncloop`)).status, 404);
    stop.abort();
    await ended;
    await assert.rejects(fetch(url));
    assert.equal(clock.pendingTimers, 0);
  });

  it('CVE-2019-11248: serves no profile and nothing but health', async () => {
    const { server } = make(0);
    const stop = new AbortController();
    const listening = Promise.withResolvers<number>();
    const ended = server.run(stop.signal, listening.resolve);
    const origin = `http://127.0.0.1:${await listening.promise}`;
    for (const path of [
      ...['/debug/pprof', '/debug/pprof/', '/debug/pprof/heap', '/debug/pprof/profile', '/debug/flags/v'],
      ...['/heapsnapshot', '/metrics', '/configz', '/flagz', '/pods', '/logs/', '/exec/ns/p/c', '/'],
    ])
      for (const method of ['GET', 'POST'])
        assert.equal((await fetch(`${origin}${path}`, { method })).status, 404, `${method} ${path}`);
    stop.abort();
    await ended;
  });

  it('logs an error once and retries while the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const waiting = Promise.withResolvers<void>();
    const { server, clock, lines } = make(port, () => waiting.resolve());
    const stop = new AbortController();
    const listening = Promise.withResolvers<number>();
    const ended = server.run(stop.signal, listening.resolve);
    await waiting.promise;
    assert.match(lines.join('\n'), /address already in use/);
    other.close();
    await once(other, 'close');
    await clock.advance(4_999);
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(1);
    assert.equal(await listening.promise, port);
    assert.equal(lines.length, 1);
    stop.abort();
    await ended;
  });

  it('does not listen when it is stopped while it waits, or before', async () => {
    const { server } = make(0);
    await server.run(AbortSignal.abort(), () => assert.fail('listening'));

    const waiting = Promise.withResolvers<void>();
    const absent = make(4, () => waiting.resolve(), '192.0.2.1');
    const stop = new AbortController();
    const ended = absent.server.run(stop.signal, () => assert.fail('listening'));
    await waiting.promise;
    stop.abort();
    await ended;
    assert.equal(absent.clock.pendingTimers, 0);
  });
});

function make(
  port: number,
  onLine: () => void = () => {},
  address = '127.0.0.1',
): { server: HealthzServer; clock: FakeClock; lines: string[] } {
  const clock = new FakeClock();
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
    // After the line the server starts its wait.
    setImmediate(onLine);
  };
  const log = textLogger(write);
  return { server: new HealthzServer({ address, port, checks: [PING], clock, log }), clock, lines };
}
