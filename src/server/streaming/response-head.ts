/** The head of an HTTP answer, read from a bare connection without consuming a byte beyond it. */
import type { Readable } from 'node:stream';
import { onAbort } from '../../base/async/on-abort.ts';
import { ByteQueue } from '../../base/byte-queue.ts';

const MAX_HEAD_BYTES = 64 * 1024;
const END = Buffer.from('\r\n\r\n');

export interface ResponseHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The head as received, including the blank line. */
  readonly raw: Uint8Array;
  /** Bytes received after it. */
  readonly rest: Uint8Array;
}

/** Rejects when the other side closes first, sends no HTTP, or `signal` aborts. Leaves the stream paused. */
export function readResponseHead(stream: Readable, signal: AbortSignal): Promise<ResponseHead> {
  return new Promise((resolve, reject) => {
    const queue = new ByteQueue();
    /** Nothing before this byte can be the end. */
    let searched = 0;
    let listening: Disposable | undefined;
    const finish = (act: () => void): void => {
      stream.off('data', onData);
      stream.off('end', onEnd);
      stream.off('close', onEnd);
      listening?.[Symbol.dispose]();
      stream.pause();
      act();
    };
    const onEnd = (): void => finish(() => reject(new Error('the connection was closed')));
    const onData = (chunk: Buffer): void => {
      queue.push(chunk);
      const data = queue.peek(queue.length);
      const end = data.indexOf(END, searched);
      searched = Math.max(0, data.length - END.length);
      if (end < 0 && data.length <= MAX_HEAD_BYTES) return;
      const head = end < 0 ? undefined : parse(data, end + END.length);
      finish(() => (head === undefined ? reject(new Error('malformed HTTP response')) : resolve(head)));
    };
    stream.on('data', onData);
    stream.once('end', onEnd);
    stream.once('close', onEnd);
    listening = onAbort(signal, () => finish(() => reject(new Error('cancelled'))));
  });
}

function parse(data: Buffer, length: number): ResponseHead | undefined {
  const [first = '', ...lines] = data.toString('latin1', 0, length).split('\r\n');
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? [];
  if (status === undefined) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers, raw: data.subarray(0, length), rest: data.subarray(length) };
}
