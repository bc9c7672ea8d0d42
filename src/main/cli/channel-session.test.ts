import assert from 'node:assert/strict';
import { Duplex, PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { encodeFrame, FrameDecoder, OPCODE } from '../../../test/samples/web-socket-frames.ts';
import { parseSessionEnd, runChannelSession } from './channel-session.ts';

/** The far end: what it sends, and the messages it got. */
class FarEnd extends Duplex {
  readonly got: Buffer[] = [];
  onMessage: () => void = () => {};
  readonly #decoder = new FrameDecoder();
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (const { opcode, payload } of this.#decoder.push(chunk))
      if (opcode === OPCODE.binary) this.got.push(payload);
    this.onMessage();
    done();
  }

  receive(channel: number, text: string): void {
    this.push(encodeFrame(OPCODE.binary, Buffer.of(channel), Buffer.from(text)));
  }

  close(): void {
    this.push(encodeFrame(OPCODE.close, Buffer.from([3, 232])));
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
    const first = encodeFrame(OPCODE.binary, Buffer.of(1), Buffer.from('be'));
    const ended = runChannelSession({ socket, head: first }, { stdout: out.stream, stderr: err.stream });
    socket.receive(1, 'fore');
    socket.receive(2, 'wrong');
    socket.receive(3, FAILED);
    socket.close();
    assert.deepEqual(await ended, { exitCode: 7 });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([out.text(), err.text()], ['before', 'wrong']);
    assert.ok(socket.destroyed);
  });

  it('passes input on and closes it at its end', async () => {
    const socket = new FarEnd();
    const stdin = new PassThrough();
    const closed = new Promise<void>((resolve) => {
      socket.onMessage = () => socket.got.at(-1)?.[0] === 255 && resolve();
    });
    const streams = { stdin, stdout: new PassThrough(), stderr: new PassThrough() };
    const ended = runChannelSession({ socket, head: Buffer.alloc(0) }, streams);
    stdin.end('hello');
    await closed;
    socket.receive(3, JSON.stringify({ status: 'Success' }));
    socket.close();
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
    const ended = runChannelSession({ socket, head: Buffer.alloc(0) }, streams);
    size = [100, 30];
    resized();
    socket.close();
    await ended;
    assert.deepEqual(
      socket.got.map((message) => message.toString()),
      ['\u0004{"Width":80,"Height":24}', '\u0004{"Width":100,"Height":30}'],
    );
    assert.ok(disposed);
  });

  it('fails when the connection is lost before the Status', async () => {
    const socket = new FarEnd();
    const ended = runChannelSession(
      { socket, head: Buffer.alloc(0) },
      { stdout: new PassThrough(), stderr: new PassThrough() },
    );
    socket.push(null);
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
