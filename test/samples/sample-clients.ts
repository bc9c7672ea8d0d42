/** The other ends of streams, for tests: frames as a client writes them, and a runtime that speaks SPDY. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { constants, inflateSync } from 'node:zlib';

/** A frame with a mask, as clients must send it. */
export function maskFrame(opcode: number, content: Uint8Array): Buffer {
  const mask = Buffer.from([0x11, 0x22, 0x33, 0x44]);
  const payload = Buffer.from(content);
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
  const length = payload.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, mask, payload]);
}

/** What a server sent, taken apart. */
export function readFrames(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  const frames: { opcode: number; payload: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const [length, head] =
      short === 126
        ? [bytes.readUInt16BE(at + 2), 4]
        : short === 127
          ? [Number(bytes.readBigUInt64BE(at + 2)), 10]
          : [short, 2];
    frames.push({ opcode: (bytes[at] ?? 0) & 0x0f, payload: bytes.subarray(at + head, at + head + length) });
    at += head + length;
  }
  return frames;
}

/** A streaming server with one session: reports streams and data, and sends what it is given. */
export class SpdySession {
  readonly types = new Map<string, number>();
  readonly received: [type: string, text: string, fin: boolean][] = [];
  readonly pings: number[] = [];
  head = '';
  answer =
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n';
  onChange: () => void = () => {};
  readonly #server: Server = createServer((socket) => this.#serve(socket));
  #socket: Socket | undefined;
  readonly #blocks: Buffer[] = [];
  #inflated = 0;

  async start(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/exec/t`);
  }

  async stop(): Promise<void> {
    this.#socket?.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get closed(): boolean {
    return this.#socket?.destroyed ?? true;
  }

  send(type: string, text: string, fin = false): void {
    const payload = Buffer.from(text);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(this.types.get(type) ?? 0, 0);
    head.writeUInt32BE(payload.length, 4);
    head[4] = fin ? 1 : 0;
    this.#socket?.write(Buffer.concat([head, payload]));
  }

  end(): void {
    this.#socket?.end();
  }

  /** Resolves once `done` holds. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => (this.onChange = resolve));
  }

  #serve(socket: Socket): void {
    this.#socket = socket;
    socket.on('error', () => {});
    let data = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      data = Buffer.concat([data, chunk]);
      if (this.head === '') {
        const end = data.indexOf('\r\n\r\n');
        if (end < 0) return;
        this.head = data.toString('latin1', 0, end);
        data = data.subarray(end + 4);
        socket.write(this.answer);
      }
      while (data.length >= 8 && data.length >= 8 + (data.readUInt32BE(4) & 0xffffff)) {
        const length = data.readUInt32BE(4) & 0xffffff;
        this.#take(data.readUInt32BE(0), (data[4] ?? 0) === 1, data.subarray(8, 8 + length));
        data = data.subarray(8 + length);
      }
      this.onChange();
    });
  }

  #take(word: number, fin: boolean, body: Buffer): void {
    if (word < 0x80000000) {
      const [type = '?'] = [...this.types].find(([, id]) => id === word) ?? [];
      this.received.push([type, body.toString(), fin]);
    } else if ((word & 0xffff) === 1) {
      this.#blocks.push(body.subarray(10));
      const all = inflateSync(Buffer.concat(this.#blocks), { finishFlush: constants.Z_SYNC_FLUSH });
      const block = all.subarray(this.#inflated);
      this.#inflated = all.length;
      const nameLength = block.readUInt32BE(4);
      this.types.set(block.subarray(12 + nameLength).toString(), body.readUInt32BE(0));
    } else if ((word & 0xffff) === 6) this.pings.push(body.readUInt32BE(0));
  }
}
