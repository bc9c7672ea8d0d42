/**
 * A runtime that runs nothing, behind the real wire protocol, as a process of
 * its own: what a kubelet costs beside it is the kubelet's alone.
 *
 * usage: node bench/model/model-runtime.ts SOCKET [DELAY_MS]
 * Sandboxes and starts take DELAY_MS each. Prints `ready`, and on SIGUSR2 the calls so far as one line of JSON.
 */
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { frameGrpcMessage, GrpcMessages } from '../../src/adapters/grpc/grpc-messages.ts';
import { createModelAnswers, encodeModelEvent } from './model-answers.ts';
import { ModelPods } from './model-pods.ts';

const [socketPath = '', delayText = '20'] = process.argv.slice(2);
const delayMs = Number(delayText);
const followers = new Set<ServerHttp2Stream>();
const calls = new Map<string, { count: number; bytes: number }>();
const pods = new ModelPods((...event) => {
  const bytes = frameGrpcMessage(encodeModelEvent(...event));
  for (const stream of followers) stream.write(bytes);
});

const answers = createModelAnswers({ pods, work: () => delay(delayMs) });

function count(name: string, bytes: number): void {
  const sum = calls.get(name) ?? { count: 0, bytes: 0 };
  calls.set(name, { count: sum.count + 1, bytes: sum.bytes + bytes });
}

function end(stream: ServerHttp2Stream, code: number, message = ''): void {
  if (stream.destroyed) return;
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(code),
      'grpc-message': message,
    },
    { endStream: true },
  );
}

function follow(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
  followers.add(stream);
  stream.on('close', () => followers.delete(stream));
}

async function answer(stream: ServerHttp2Stream, path: string, body: Uint8Array): Promise<void> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'GetContainerEvents') return follow(stream);
  const make = answers[name];
  if (make === undefined || !path.startsWith('/runtime.v1.'))
    return end(stream, 12, `unknown method ${name}`);
  try {
    const bytes = await make(body);
    if (stream.destroyed) return;
    count(name, bytes.byteLength);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'grpc-message': '' }));
    stream.end(frameGrpcMessage(bytes));
  } catch (error) {
    end(stream, 5, String(error));
  }
}

const server = createServer({ settings: { maxConcurrentStreams: 2 ** 31 } });
server.on('session', (session) => session.on('error', () => {}));
server.on('stream', (stream, headers) => {
  const messages = new GrpcMessages(2 ** 24);
  stream.on('error', () => {});
  stream.on('data', (chunk: Buffer) => messages.push(chunk));
  stream.on('end', () => void answer(stream, String(headers[':path']), messages.take() ?? new Uint8Array()));
});
process.on('SIGUSR2', () => console.log(JSON.stringify(Object.fromEntries(calls))));
server.listen(socketPath, () => console.log('ready'));
