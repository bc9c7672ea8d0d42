/**
 * Compresses a reply for a client that accepts it. Metrics shrink to a
 * twentieth even when little effort is made, and no more is made.
 */
import type { Gzip } from 'node:zlib';
import type { HttpReply, HttpRequest, ReplySink } from './http-exchange.ts';

const LEVEL = 1;
/** Each piece is a way to another thread and back: few large ones cost less. */
const PIECE_BYTES = 64 * 1024;
/** Less is not worth the headers. */
const MIN_BYTES = 512;

/** True unless the client does not name gzip, or refuses it. */
export function acceptsGzip({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  const codings = String(headers['accept-encoding'] ?? '').split(',');
  return codings.some((coding) => {
    const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** The same reply, compressed if the client accepts that. */
export function toGzipReply(request: Pick<HttpRequest, 'headers'>, reply: HttpReply): HttpReply {
  const { body, stream, headers } = reply;
  if (!acceptsGzip(request) || (stream === undefined && Buffer.byteLength(body) < MIN_BYTES)) return reply;
  const write = stream ?? ((sink: ReplySink) => sink.write(Buffer.from(body)));
  return {
    ...reply,
    headers: { ...headers, 'content-encoding': 'gzip' },
    body: '',
    stream: (sink, signal) => compress(sink, (packed) => write(packed, signal)),
  };
}

async function compress(sink: ReplySink, write: (packed: ReplySink) => Promise<void>): Promise<void> {
  const { createGzip } = await import('node:zlib');
  const gzip = createGzip({ level: LEVEL, chunkSize: PIECE_BYTES });
  const drained = drain(gzip, sink);
  // A client that leaves fails the write that waits for it; this only keeps it from being reported twice.
  drained.catch(() => gzip.destroy());
  try {
    await write({ write: (chunk) => push(gzip, chunk, drained), givesBack: true });
    gzip.end();
    await drained;
  } finally {
    gzip.destroy();
  }
}

async function drain(gzip: Gzip, sink: ReplySink): Promise<void> {
  for await (const chunk of gzip) await sink.write(chunk);
}

/** Resolves when the chunk was taken, so that no more than one waits. */
function push(gzip: Gzip, chunk: Uint8Array, drained: Promise<void>): Promise<void> {
  const taken = new Promise<void>((resolve, reject) =>
    gzip.write(chunk, (error) => (error ? reject(error) : resolve())),
  );
  return Promise.race([taken, drained]);
}
