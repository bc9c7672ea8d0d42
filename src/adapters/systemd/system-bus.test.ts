import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { createConnection, type DBusConnection } from 'dbus-native';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { hasCode } from '../../base/errors.ts';
import { SystemBus } from './system-bus.ts';

const { signal } = new AbortController();
const OBJECT = { destination: 'a.b', path: '/a', interface: 'a.b' };
const [METHOD_RETURN, SIGNAL] = [2, 4];

let directory: string;
let path: string;
let server: Server;
/** What the other side does with a connection. */
let accept: (socket: Socket) => void;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'system-bus-'));
  path = join(directory, 'bus');
  server = createServer((socket) => {
    socket.on('error', () => {});
    accept(socket);
  });
  server.listen(path);
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** A bus that answers nothing but `Hello` and `AddMatch`. */
function serve(): {
  readonly asked: string[];
  readonly socket: () => Socket;
  readonly connection: () => DBusConnection;
} {
  const asked: string[] = [];
  let [at, over]: [Socket?, DBusConnection?] = [];
  accept = (socket) => {
    at = socket;
    over = createConnection({ stream: socket, server: true });
    over.on('error', () => {});
    over.on('message', ({ member = '', serial }) => {
      asked.push(member);
      if (member === 'Hello' || member === 'AddMatch')
        over?.message({ type: METHOD_RETURN, serial: asked.length, replySerial: serial ?? 0 });
    });
  };
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('nothing has connected');
    return value;
  };
  return { asked, socket: () => there(at), connection: () => there(over) };
}

describe('SystemBus', { timeout: 60_000 }, () => {
  it('gives up on a bus that accepts the connection and says nothing', async () => {
    const accepted = new Promise<Socket>((resolve) => {
      accept = resolve;
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const connecting = SystemBus.connect(path, signal);
      const closed = once((await accepted).resume(), 'close');
      mock.timers.tick(25_000);
      await assert.rejects(
        connecting,
        (error) =>
          hasCode(error, 'unavailable') && /cannot connect to the message bus.*No reply/.test(String(error)),
      );
      await closed;
    } finally {
      mock.timers.reset();
    }
  });

  it('introduces itself once', async () => {
    const { asked } = serve();
    using _bus = await SystemBus.connect(path, signal);
    assert.deepEqual(asked, ['Hello']);
  });

  it('says that a call failed with the connection', async () => {
    const { socket, connection } = serve();
    using bus = await SystemBus.connect(path, signal);
    connection().on('message', () => socket().destroy());
    await assert.rejects(bus.call(OBJECT, 'Ask', '', [], signal), (error) => hasCode(error, 'unavailable'));
    assert.equal(bus.lost.aborted, true);
    await assert.rejects(bus.call(OBJECT, 'Ask', '', [], signal), (error) => hasCode(error, 'unavailable'));
  });

  it('says that a call took too long, or was cancelled', async () => {
    serve();
    using bus = await SystemBus.connect(path, signal);
    const reasons = [
      [new DOMException('over', 'TimeoutError'), 'deadline-exceeded'],
      [new Error('stop'), 'cancelled'],
    ] as const;
    for (const [reason, code] of reasons)
      await assert.rejects(bus.call(OBJECT, 'Ask', '', [], AbortSignal.abort(reason)), (error) =>
        hasCode(error, code),
      );
    assert.equal(bus.lost.aborted, false);
  });

  it('hangs up when a listener fails', async () => {
    const { connection, socket } = serve();
    using bus = await SystemBus.connect(path, signal);
    const wanted = { sender: 'a.b', interface: 'a.b', path: '/a', member: 'Changed' };
    const fail = (): void => {
      throw new Error('a bug');
    };
    await bus.subscribe(wanted, fail, signal);
    const closed = once(socket(), 'close');
    connection().message({ type: SIGNAL, serial: 9, interface: 'a.b', path: '/a', member: 'Changed' });
    await whenAborted(bus.lost);
    await closed;
  });
});
