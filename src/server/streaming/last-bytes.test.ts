/** A runtime closes as soon as a command has ended, while its client may still be sending; nothing of the output may be lost by that. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { joinConnections } from './join-connections.ts';
import { connectStreamTarget } from './stream-target.ts';

const clock = new FakeClock();
const never = new AbortController().signal;
const options = { clock, idleTimeoutMs: 0, signal: never };

afterEach(() => assert.equal(clock.pendingTimers, 0));

/** The two ends of a connection to a runtime: ours and its own. */
async function connectRuntime(): Promise<{ ours: Duplex; its: Socket }> {
  const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const accepted = once(listener, 'connection');
  const url = new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/`);
  const ours = await connectStreamTarget(url, never);
  const [its] = (await accepted) as [Socket];
  its.on('error', () => {});
  listener.close();
  return { ours, its };
}

/** A client whose end takes the next piece only when asked to. */
class SlowClient extends Duplex {
  readonly taken: Buffer[] = [];
  #more: (() => void) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(chunk);
    this.#more = done;
  }

  accept(): void {
    const more = this.#more;
    this.#more = undefined;
    more?.();
  }

  get text(): string {
    return Buffer.concat(this.taken).toString();
  }
}

const turn = (): Promise<void> => new Promise(setImmediate);

describe('the last bytes of a stream', () => {
  it('reach the client although the runtime takes no more of its input', async () => {
    const { ours, its } = await connectRuntime();
    const client = new SlowClient();
    const joined = joinConnections(client, ours, options);
    // All in one turn, so that the agent writes before it looks at what has come.
    its.write('the output');
    its.resetAndDestroy();
    client.push('input');
    client.push('more input');
    while (client.taken.length === 0 && !client.destroyed) await turn();
    client.accept();
    assert.equal((await joined).endedBy, 'runtime');
    assert.equal(client.text, 'the output');
  });

  it('reach a client that is slower than the runtime, which has reset the connection meanwhile', async () => {
    const { ours, its } = await connectRuntime();
    const client = new SlowClient({ writableHighWaterMark: 1 });
    const joined = joinConnections(client, ours, options);
    for (const piece of ['one ', 'two ', 'three']) {
      its.write(piece);
      for (let n = 0; n < 5; n++) await turn();
    }
    its.resetAndDestroy();
    for (let n = 0; n < 20; n++) {
      await turn();
      client.accept();
    }
    assert.equal((await joined).endedBy, 'runtime');
    assert.equal(client.text, 'one two three');
  });

  it('are followed by an end that a client may answer or not', async () => {
    const { ours, its } = await connectRuntime();
    const client = new SlowClient();
    const joined = joinConnections(client, ours, options);
    its.end('the output');
    while (client.taken.length === 0) await turn();
    client.accept();
    assert.equal((await joined).endedBy, 'runtime');
    assert.deepEqual([client.writableFinished, client.destroyed], [true, false]);
    client.resume().push(null);
    await once(client, 'close');
  });

  it('wait for a client that takes none for a long time', async () => {
    const { ours, its } = await connectRuntime();
    const client = new SlowClient();
    const joined = joinConnections(client, ours, options);
    its.end('the output');
    while (client.taken.length === 0) await turn();
    for (let n = 0; n < 5; n++) await turn();
    await clock.advance(3600_000);
    assert.equal(client.destroyed, false);
    client.accept();
    assert.equal((await joined).endedBy, 'runtime');
    assert.equal(client.text, 'the output');
  });
});
