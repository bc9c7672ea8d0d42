/** Writing with back-pressure. */
import type { Writable } from 'node:stream';

/** Resolves when more may be written; rejects when the stream is closed. */
export function writeAll(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.writableEnded) return Promise.reject(new Error('the connection is closed'));
  stream.write(bytes);
  return whenDrained(stream);
}

/** Resolves when more may be written, at once if so; rejects when the stream is closed. */
export function whenDrained(stream: Writable): Promise<void> {
  if (!stream.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      stream.off('drain', settle);
      stream.off('close', settle);
      if (stream.destroyed) reject(new Error('the connection is closed'));
      else resolve();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
