import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { parseSessionEnd, runChannelSession } from './channel-session.ts';
import type { MessageConnection } from './web-socket-client.ts';

/** The far end: what it sends, and the messages it got. */
class FarEnd implements MessageConnection {
  readonly got: Buffer[] = [];
  onMessage: () => void = () => {};
  isClosed = false;
  readonly #over = Promise.withResolvers<void>();
  readonly #early: Buffer[] = [];
  #take: ((message: Buffer) => Promise<void>) | undefined;

  send(message: Uint8Array): boolean {
    this.got.push(Buffer.from(message));
    this.onMessage();
    return true;
  }

  async drained(): Promise<void> {}

  async run(take: (message: Buffer) => Promise<void>): Promise<void> {
    this.#take = take;
    for (const message of this.#early) await take(message);
    await this.#over.promise;
  }

  receive(channel: number, text: string): void {
    const message = Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
    if (this.#take === undefined) this.#early.push(message);
    else void this.#take(message);
  }

  /** The far end closes. */
  end(): void {
    this.#over.resolve();
  }

  lose(): void {
    this.#over.reject(new Error('lost'));
  }

  close(): void {
    this.isClosed = true;
  }
}

const FAILED = JSON.stringify({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  details: { causes: [{ reason: 'ExitCode', message: '7' }] },
});

function collect(): { stream: PassThrough; text: () => string } {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  return { stream, text: () => text };
}

describe('runChannelSession', () => {
  it('splits output and returns the exit code of the command', async () => {
    const socket = new FarEnd();
    const [out, err] = [collect(), collect()];
    socket.receive(1, 'be');
    const ended = runChannelSession(socket, { stdout: out.stream, stderr: err.stream });
    socket.receive(1, 'fore');
    socket.receive(2, 'wrong');
    socket.receive(3, FAILED);
    socket.end();
    assert.deepEqual(await ended, { exitCode: 7 });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([out.text(), err.text()], ['before', 'wrong']);
    assert.ok(socket.isClosed);
  });

  it('passes input on and closes it at its end', async () => {
    const socket = new FarEnd();
    const stdin = new PassThrough();
    const closed = new Promise<void>((resolve) => {
      socket.onMessage = () => socket.got.at(-1)?.[0] === 255 && resolve();
    });
    const streams = { stdin, stdout: new PassThrough(), stderr: new PassThrough() };
    const ended = runChannelSession(socket, streams);
    stdin.end('hello');
    await closed;
    socket.receive(3, JSON.stringify({ status: 'Success' }));
    socket.end();
    assert.deepEqual(await ended, { exitCode: 0 });
    assert.deepEqual(socket.got, [Buffer.from('\0hello'), Buffer.of(255, 0)]);
  });

  it('sends the size of the terminal, also when it changes', async () => {
    const socket = new FarEnd();
    let resized: () => void = () => assert.fail('no listener');
    let size: readonly [number, number] = [80, 24];
    let disposed = false;
    const terminal = {
      size: () => size,
      onResize: (listener: () => void) => {
        resized = listener;
        return {
          [Symbol.dispose]: () => {
            disposed = true;
          },
        };
      },
    };
    const streams = { stdout: new PassThrough(), stderr: new PassThrough(), terminal };
    const ended = runChannelSession(socket, streams);
    size = [100, 30];
    resized();
    socket.end();
    await ended;
    assert.deepEqual(
      socket.got.map((message) => message.toString()),
      ['\u0004{"Width":80,"Height":24}', '\u0004{"Width":100,"Height":30}'],
    );
    assert.ok(disposed);
  });

  it('fails when the connection is lost before the Status', async () => {
    const socket = new FarEnd();
    const ended = runChannelSession(socket, { stdout: new PassThrough(), stderr: new PassThrough() });
    socket.lose();
    assert.deepEqual(await ended, { exitCode: 1, problem: 'the connection was lost' });
  });
});

describe('parseSessionEnd', () => {
  it('reports a failure that is not of the command', () => {
    assert.deepEqual(parseSessionEnd('{"status":"Failure","message":"no such file"}'), {
      exitCode: 1,
      problem: 'no such file',
    });
    assert.deepEqual(parseSessionEnd('plain words'), { exitCode: 1, problem: 'plain words' });
  });
});
