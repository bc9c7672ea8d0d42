/**
 * exec and attach from this terminal: the far end of `v5.channel.k8s.io`.
 *
 *   stdin ─► channel 0, closed by [255, 0]       channel 1 ─► stdout
 *   window size ─► channel 4                     channel 2 ─► stderr
 *                                                channel 3 ─► the Status, last
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { MessageConnection } from './web-socket-client.ts';

export const CHANNEL_PROTOCOL = 'v5.channel.k8s.io';
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
const CLOSE = 255;

export interface SessionStreams {
  /** Absent when nothing is passed on. */
  readonly stdin?: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** The size of the terminal, now and whenever it changes. */
  readonly terminal?: {
    size(): readonly [columns: number, rows: number];
    onResize(listener: () => void): Disposable;
  };
}

export interface SessionEnd {
  readonly exitCode: number;
  /** What went wrong, where it was not the command itself. */
  readonly problem?: string;
}

/** Carries the session until the far end closes it. */
export async function runChannelSession(
  connection: MessageConnection,
  streams: SessionStreams,
): Promise<SessionEnd> {
  const { stdin, stdout, stderr, terminal } = streams;
  const send = (channel: number, data: Uint8Array): boolean =>
    connection.send(Buffer.concat([Buffer.of(channel), data]));
  const resize = (): void => {
    const [Width, Height] = terminal?.size() ?? [80, 24];
    send(RESIZE, Buffer.from(JSON.stringify({ Width, Height })));
  };
  if (terminal !== undefined) resize();
  using _resizes = terminal?.onResize(resize);
  const endInput = stdin === undefined ? () => {} : pump(stdin, send, () => connection.drained());
  let end: SessionEnd = { exitCode: 1, problem: 'the connection was lost' };
  try {
    await connection.run(async (message) => {
      const data = message.subarray(1);
      if (message[0] === ERROR && data.length > 0) end = parseSessionEnd(data.toString());
      const out = message[0] === STDOUT ? stdout : message[0] === STDERR ? stderr : undefined;
      if (out !== undefined && data.length > 0 && !out.write(data)) await once(out, 'drain');
    });
  } catch {
    // The end of the connection; what the Status said before counts.
  } finally {
    endInput();
    connection.close();
  }
  return end;
}

/** The Status of the API: an exit code where a command ran, else what is wrong. */
export function parseSessionEnd(text: string): SessionEnd {
  let status: {
    status?: string;
    message?: string;
    reason?: string;
    details?: { causes?: { reason?: string; message?: string }[] };
  };
  try {
    status = JSON.parse(text) as typeof status;
  } catch {
    return { exitCode: 1, problem: text };
  }
  if (status.status === 'Success') return { exitCode: 0 };
  const code = Number(status.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message);
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(code)) return { exitCode: code };
  return { exitCode: 1, problem: status.message ?? text };
}

/** Passes input on until it ends; the result stops it. */
function pump(
  stdin: Readable,
  send: (channel: number, data: Uint8Array) => boolean,
  drained: () => Promise<unknown>,
): () => void {
  const onData = (chunk: Buffer): void => {
    if (send(STDIN, chunk)) return;
    stdin.pause();
    void drained().then(
      () => stdin.resume(),
      () => {},
    );
  };
  const onEnd = (): void => void send(CLOSE, Buffer.of(STDIN));
  stdin.on('data', onData);
  stdin.once('end', onEnd);
  return () => {
    stdin.off('data', onData);
    stdin.off('end', onEnd);
    stdin.pause();
  };
}
