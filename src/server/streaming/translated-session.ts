/**
 * One exec or attach session between a WebSocket and SPDY; see translate-web-socket.ts.
 *
 * The runtime is sent nothing that no client asked for, not even pings: it closes
 * as soon as a command has ended, and bytes that reach it then reset the
 * connection, with the last of the output still on the way to us. It is on this
 * host, so its end shows by itself.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/async/clock.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import type { StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import { flushClient } from './flush-client.ts';
import { IdleWatch } from './idle-watch.ts';
import type { JoinResult } from './join-connections.ts';
import { SpdyDecoder, SpdyEncoder, type SpdyFrame } from './spdy-frames.ts';
import type { WebSocketPeer } from './web-socket-peer.ts';
import { writeAll } from './write-all.ts';

export interface SessionParts {
  readonly client: Duplex;
  readonly peer: WebSocketPeer;
  readonly runtime: Duplex;
  readonly rest: Uint8Array;
  readonly streams: StreamSet;
  /** What the runtime chose. */
  readonly protocol: string;
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
}

type Channel = 'stdin' | 'stdout' | 'stderr' | 'error' | 'resize';

const NUMBERS: Readonly<Record<Channel, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };
const CLOSE_CHANNEL = 255;
const MAX_STATUS_BYTES = 64 * 1024;
const SUCCESS = '{"metadata":{},"status":"Success"}';
const LOST = 'the connection to the runtime was lost before the command ended';

export class TranslatedSession {
  readonly #parts: SessionParts;
  readonly #peer: WebSocketPeer;
  readonly #encoder = new SpdyEncoder();
  readonly #decoder = new SpdyDecoder();
  /** Stream id of each channel that is open towards the runtime, and the reverse for what comes. */
  readonly #ids = new Map<Channel, number>();
  readonly #channels = new Map<number, Channel>();
  /** What the runtime may still send on. */
  readonly #open = new Set<Channel>();
  #status: Buffer[] = [];
  /** The runtime has sent everything about the end of the command. */
  #statusEnded = false;
  #statusBytes = 0;
  #bytesIn = 0;
  #bytesOut = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#peer = parts.peer;
  }

  /** Resolves when the session is over and the last message has left; never rejects. */
  async run(signal: AbortSignal): Promise<JoinResult> {
    const { clock, idleTimeoutMs, runtime } = this.#parts;
    const ended = Promise.withResolvers<JoinResult['endedBy']>();
    const cut = Promise.withResolvers<JoinResult['endedBy']>();
    using _listening = onAbort(signal, () => cut.resolve('stop'));
    using idle = new IdleWatch(clock, idleTimeoutMs, () => cut.resolve('idle'));
    this.#openStreams();
    const inward = this.#peer.run(async (message) => {
      idle.touch();
      await this.#takeFromClient(message);
    });
    const outward = async (): Promise<void> => {
      await this.#greet();
      if (await this.#takeFromRuntime(this.#parts.rest)) return;
      for await (const chunk of runtime.iterator({ destroyOnReturn: false })) {
        idle.touch();
        if (await this.#takeFromRuntime(chunk as Buffer)) return;
      }
    };
    const settle = (by: JoinResult['endedBy']) => (): void => ended.resolve(by);
    inward.then(settle('client'), settle('client'));
    outward().then(settle('runtime'), settle('runtime'));
    const endedBy = await Promise.race([ended.promise, cut.promise]);
    if (endedBy === 'runtime') {
      const last = this.#peer.send(Buffer.of(NUMBERS.error), this.#toStatus()).catch(() => {});
      await Promise.race([last, cut.promise]);
    }
    this.#peer.close();
    await flushClient(this.#parts.client, clock, endedBy === 'runtime' ? cut.promise : undefined);
    return { bytesIn: this.#bytesIn, bytesOut: this.#bytesOut, endedBy };
  }

  #openStreams(): void {
    const { streams, protocol, runtime } = this.#parts;
    const resizes = streams.tty && protocol !== 'channel.k8s.io' && protocol !== 'v2.channel.k8s.io';
    const wanted: readonly (readonly [Channel, boolean])[] = [
      ['error', true],
      ['stdin', streams.stdin],
      ['stdout', streams.stdout],
      ['stderr', streams.stderr && !streams.tty],
      ['resize', resizes],
    ];
    let id = 1;
    for (const [channel] of wanted.filter(([, on]) => on)) {
      this.#ids.set(channel, id);
      this.#channels.set(id, channel);
      if (channel === 'error' || channel === 'stdout' || channel === 'stderr') this.#open.add(channel);
      runtime.write(this.#encoder.open(id, { streamtype: channel }));
      id += 2;
    }
  }

  /** Signals the client that the session is established, before there is any output. */
  async #greet(): Promise<void> {
    const lowest = (['stdout', 'stderr', 'error'] as const).find((channel) => this.#open.has(channel));
    await this.#peer.send(Buffer.of(NUMBERS[lowest ?? 'error']));
  }

  /** The first byte of a message is the number of its channel. */
  async #takeFromClient(message: Buffer): Promise<void> {
    this.#bytesIn += message.length;
    const [number] = message;
    const data = message.subarray(1);
    if (number === CLOSE_CHANNEL) {
      if (data[0] === NUMBERS.stdin) await this.#closeInput('stdin');
      return;
    }
    const channel = number === NUMBERS.stdin ? 'stdin' : number === NUMBERS.resize ? 'resize' : undefined;
    const id = channel === undefined ? undefined : this.#ids.get(channel);
    if (id !== undefined && data.length > 0)
      await writeAll(this.#parts.runtime, this.#encoder.data(id, data));
  }

  async #closeInput(channel: Channel): Promise<void> {
    const id = this.#ids.get(channel);
    this.#ids.delete(channel);
    if (id !== undefined) await writeAll(this.#parts.runtime, this.#encoder.data(id, Buffer.alloc(0), true));
  }

  /** True when the runtime will send no more. */
  async #takeFromRuntime(bytes: Uint8Array): Promise<boolean> {
    for (const frame of this.#decoder.push(bytes)) await this.#take(frame);
    return this.#open.size === 0;
  }

  async #take(frame: SpdyFrame): Promise<void> {
    if (frame.kind === 'ping' && frame.id % 2 === 0) {
      await writeAll(this.#parts.runtime, this.#encoder.ping(frame.id));
      return;
    }
    if (frame.kind === 'go-away') this.#open.clear();
    if (frame.kind !== 'data' && frame.kind !== 'reset' && frame.kind !== 'reply') return;
    const channel = this.#channels.get(frame.stream);
    if (channel === undefined) return;
    // What a runtime sends on an input has no meaning and no reader.
    const isOutput = channel !== 'stdin' && channel !== 'resize';
    if (frame.kind === 'data' && isOutput && frame.payload.length > 0)
      await this.#output(channel, frame.payload);
    if (frame.kind !== 'reset' && !frame.fin) return;
    this.#open.delete(channel);
    if (channel === 'error') this.#statusEnded = true;
    // A process that has closed its input takes no more of it.
    if (frame.kind === 'reset') this.#ids.delete(channel);
  }

  async #output(channel: Channel, payload: Buffer): Promise<void> {
    this.#bytesOut += payload.length;
    if (channel !== 'error') return this.#peer.send(Buffer.of(NUMBERS[channel]), payload);
    this.#statusBytes += payload.length;
    if (this.#statusBytes <= MAX_STATUS_BYTES) this.#status.push(payload);
  }

  /** JSON from v4 on; plain text before, where an empty text means success if the runtime closed the stream. */
  #toStatus(): Buffer {
    const text = Buffer.concat(this.#status).toString();
    const isJson = /^v[45]\./.test(this.#parts.protocol);
    if (!this.#statusEnded && !(isJson && isWhole(text))) return toFailure(LOST);
    if (text === '') return Buffer.from(SUCCESS);
    return isJson ? Buffer.from(text) : toFailure(text);
  }
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function toFailure(message: string): Buffer {
  const status = { metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 };
  return Buffer.from(JSON.stringify(status));
}
