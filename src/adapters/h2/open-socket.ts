/** The socket below an HTTP/2 connection, with what arrives on it as bytes that belong to who gets them. */
import { type NetConnectOpts, type OnReadOpts, Socket } from 'node:net';

export type Dial = (target: NetConnectOpts & { readonly onread: OnReadOpts }) => Socket;

const READ_BYTES = 16 * 1024;

/** Takes over a socket that is connected, such as one with TLS, or dials; calls `receive` as bytes arrive. */
export function openSocket(
  target: NetConnectOpts | Socket,
  dial: Dial,
  receive: (bytes: Buffer) => void,
): Socket {
  if (target instanceof Socket) return target.on('data', receive);
  // Without a stream of chunks between the socket and the frames.
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const callback = (count: number): boolean => {
    // Copied: the buffer is written to again, and messages are read as parts of this.
    receive(Buffer.from(buffer.subarray(0, count)));
    return true;
  };
  return dial({ ...target, onread: { buffer, callback } });
}
