/**
 * One exec session over SPDY with the kubelet itself: no API server between, whose proxy drops what it holds when
 * either side of it closes, and no kubectl, for which a lost connection is a success.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { SpdyDecoder, SpdyEncoder } from '../../../src/server/streaming/spdy-frames.ts';
import { type Cluster, requireVariable } from './cluster.ts';

const CHANNELS = ['error', 'stdin', 'stdout', 'stderr'] as const;
type Channel = (typeof CHANNELS)[number];
const idOf = (channel: Channel): number => 2 * CHANNELS.indexOf(channel) + 1;
const END_OF_HEAD = '\r\n\r\n';

export interface KubeletTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  /** Those the API server calls it with. */
  readonly cert: string;
  readonly key: string;
}

export async function findKubelet(cluster: Cluster): Promise<KubeletTarget> {
  const { status } = await cluster.node();
  const host = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  assert.ok(host !== undefined && port !== undefined, 'the node shows no address of its kubelet');
  const read = (name: string): Promise<string> =>
    readFile(join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster', 'pki', name), 'utf8');
  const own = 'apiserver-kubelet-client';
  return {
    host,
    port,
    ca: await read('ca.crt'),
    cert: await read(`${own}.crt`),
    key: await read(`${own}.key`),
  };
}

export class SpdyExec implements Disposable {
  readonly #socket: TLSSocket;
  readonly #encoder = new SpdyEncoder();
  readonly #decoder = new SpdyDecoder();
  readonly #texts = new Map<number, string>();
  #head = '';
  #goneAway = false;
  #waiting: (() => void) | undefined;
  #problem: Error | undefined;

  /** `path` is `namespace/pod/container`. */
  constructor(target: KubeletTarget, path: string, command: readonly string[]) {
    const query = new URLSearchParams({ input: '1', output: '1', error: '1' });
    for (const word of command) query.append('command', word);
    this.#socket = connect({ ...target });
    this.#socket.on('data', (chunk: Buffer) => this.#take(chunk));
    for (const event of ['end', 'close', 'secureConnect']) this.#socket.on(event, () => this.#waiting?.());
    this.#socket.on('error', (error) => {
      this.#problem = error;
    });
    const upgrade = `Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io`;
    this.#socket.write(
      `POST /exec/${path}?${query} HTTP/1.1\r\nHost: kubelet\r\n${upgrade}\r\nContent-Length: 0${END_OF_HEAD}`,
    );
  }

  text(channel: Channel): string {
    return this.#texts.get(idOf(channel)) ?? '';
  }

  /** Opens the streams once the kubelet has agreed. */
  async open(): Promise<void> {
    await this.#until(() => this.#head.includes(END_OF_HEAD));
    assert.match(this.#head, /^HTTP\/1\.1 101 /);
    for (const channel of CHANNELS)
      this.#socket.write(this.#encoder.open(idOf(channel), { streamtype: channel }));
  }

  write(text: string): void {
    this.#socket.write(this.#encoder.data(idOf('stdin'), Buffer.from(text)));
  }

  async waitForOutput(text: string): Promise<void> {
    await this.#until(() => this.text('stdout').includes(text));
  }

  /** The runtime has ended the session: nothing that is sent from now on reaches a command. */
  async waitForGoAway(): Promise<void> {
    await this.#until(() => this.#goneAway);
  }

  /** Many small writes, as Go's clients send their frames, to the current reader of the connection. */
  async keepSending(): Promise<void> {
    for (let id = 1; id < 40; id += 2) {
      const ping = this.#encoder.ping(id);
      for (const half of [ping.subarray(0, 4), ping.subarray(4)]) {
        this.#socket.write(half);
        await new Promise(setImmediate);
      }
    }
  }

  /** All that came until the kubelet ended the connection, and the exit code; rejects when it was reset. */
  async ended(): Promise<{ readonly out: string; readonly code: number | undefined }> {
    await this.#until(() => this.#socket.readableEnded);
    this.#socket.end();
    const status = JSON.parse(this.text('error') || '{}');
    if (status.status === 'Success') return { out: this.text('stdout'), code: 0 };
    const causes: { reason: string; message: string }[] = status.details?.causes ?? [];
    const exit = causes.find(({ reason }) => reason === 'ExitCode');
    return { out: this.text('stdout'), code: exit === undefined ? undefined : Number(exit.message) };
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    if (!this.#head.includes(END_OF_HEAD)) {
      const before = this.#head.length;
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf(END_OF_HEAD);
      rest = end < 0 ? Buffer.alloc(0) : chunk.subarray(end + END_OF_HEAD.length - before);
    }
    for (const frame of this.#decoder.push(rest)) {
      if (frame.kind === 'go-away') this.#goneAway = true;
      if (frame.kind !== 'data') continue;
      this.#texts.set(frame.stream, (this.#texts.get(frame.stream) ?? '') + frame.payload.toString());
    }
    this.#waiting?.();
  }

  async #until(done: () => boolean): Promise<void> {
    while (!done()) {
      if (this.#problem !== undefined) throw new Error('the connection was cut', { cause: this.#problem });
      assert.ok(!this.#socket.destroyed, 'the connection was closed too early');
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }
}
