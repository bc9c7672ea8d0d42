/** Our Pods server with grpc-js as its client. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { Client, type ClientReadableStream, credentials, type ServiceError } from '@grpc/grpc-js';
import { encodePod } from '../../src/adapters/pods-api/encode-pod.ts';
import { servePods } from '../../src/adapters/pods-api/pods-server.ts';
import { Emitter } from '../../src/base/async/emitter.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import {
  decodeGetPodResponse,
  decodeListPodsResponse,
  decodeWatchPodsEvent,
  EventType,
  encodeGetPodRequest,
} from '../../src/gen/pods.ts';
import type { PodChange } from '../../src/ports/pod-catalog.ts';
import { FakeClock } from '../fakes/fake-clock.ts';
import { RecordingLogger } from '../fakes/recording-logger.ts';

const WATCH = '/v1alpha1.Pods/WatchPods';
const LIST = '/v1alpha1.Pods/ListPods';

function toPod(uid: string, note = ''): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `name-${uid}`, namespace: 'default', uid, annotations: { note } },
    spec: { containers: [{ name: 'main', image: 'i' }] },
  };
}

const same = (bytes: Buffer): Buffer => bytes;

class Setup implements AsyncDisposable {
  readonly path: string;
  readonly pods = new Map<string, Pod>();
  readonly changes = new Emitter<[PodChange]>();
  readonly clock = new FakeClock();
  dropped = 0;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #client: Client;

  private constructor(path: string) {
    this.path = path;
    const pods = {
      list: () => [...this.pods.values()],
      find: (uid: string) => this.pods.get(uid),
      onChange: (listener: (change: PodChange) => void) => this.changes.subscribe(listener),
    };
    const onDropped = (): void => void this.dropped++;
    const { clock } = this;
    const parts = { path, pods, onDropped, clock, logger: new RecordingLogger() };
    this.#done = servePods(parts, this.#stop.signal);
    this.#client = new Client(`unix:${path}`, credentials.createInsecure());
  }

  static async create(...uids: readonly string[]): Promise<Setup> {
    const directory = await mkdtemp(join(tmpdir(), 'pods-api-'));
    const setup = new Setup(join(directory, 'own', 'pods-api.sock'));
    for (const uid of uids) setup.pods.set(uid, toPod(uid));
    while ((await stat(setup.path).catch(() => undefined)) === undefined);
    return setup;
  }

  call(path: string, request: Uint8Array = new Uint8Array()): Promise<Buffer> {
    return new Promise((resolve, reject) =>
      this.#client.makeUnaryRequest(path, same, same, Buffer.from(request), (error, answer) =>
        error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
      ),
    );
  }

  /** A connection of its own, without the manners of a gRPC client. */
  session(): ClientHttp2Session {
    const session = connect('http://localhost', { createConnection: () => createConnection(this.path) });
    session.on('error', () => {});
    return session;
  }

  watch(): ClientReadableStream<Buffer> {
    return this.#client.makeServerStreamRequest(WATCH, same, same, Buffer.alloc(0));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.close();
    this.#stop.abort();
    await this.#done;
    assert.equal(await stat(this.path).catch(() => 'gone'), 'gone');
    await rm(dirname(dirname(this.path)), { recursive: true, force: true });
  }
}

const iterators = new WeakMap<ClientReadableStream<Buffer>, NodeJS.AsyncIterator<Buffer>>();

/** The next events: type, and whether the bytes are those of the pod. */
async function read(stream: ClientReadableStream<Buffer>, count: number): Promise<[number, string][]> {
  const events: [number, string][] = [];
  const messages = iterators.get(stream) ?? stream.iterator({ destroyOnReturn: false });
  iterators.set(stream, messages);
  while (events.length < count) {
    const { type, pod } = decodeWatchPodsEvent((await messages.next()).value);
    events.push([type, Buffer.from(pod).toString('hex')]);
  }
  return events;
}

const hex = (pod: object): string => Buffer.from(encodePod(pod)).toString('hex');

/** An empty request; the answer is not read. */
function ask(session: ClientHttp2Session, path: string): ClientHttp2Stream {
  const stream = session.request({ ':method': 'POST', ':path': path });
  stream.on('error', () => {});
  stream.pause();
  stream.end(Buffer.alloc(5));
  return stream;
}

/** Reads what was sent before, behind which the end stands. */
async function closed(stream: ClientHttp2Stream): Promise<void> {
  if (!stream.destroyed) await new Promise((resolve) => stream.resume().once('close', resolve));
}

async function refusal(stream: ClientReadableStream<Buffer>): Promise<ServiceError> {
  const [error] = await once(stream, 'error');
  return error;
}

describe('The Pods API', () => {
  it('lists pods, finds one, and refuses a UID of none', async () => {
    await using setup = await Setup.create('a', 'b');
    const { pods } = decodeListPodsResponse(await setup.call(LIST));
    assert.deepEqual(
      pods.map((pod) => Buffer.from(pod).toString('hex')),
      [hex(toPod('a')), hex(toPod('b'))],
    );
    const get = (podUID: string): Promise<Buffer> =>
      setup.call('/v1alpha1.Pods/GetPod', encodeGetPodRequest({ podUID }));
    assert.equal(Buffer.from(decodeGetPodResponse(await get('b')).pod).toString('hex'), hex(toPod('b')));
    await assert.rejects(get('c'), /5 NOT_FOUND: pod with UID c not found/);
    assert.equal((await stat(setup.path)).mode & 0o777, 0o600);
  });

  it('streams what is there, the mark, and every change', async () => {
    await using setup = await Setup.create('a', 'b');
    const stream = setup.watch();
    const first = await read(stream, 3);
    assert.deepEqual(first, [
      [EventType.ADDED, hex(toPod('a'))],
      [EventType.ADDED, hex(toPod('b'))],
      [EventType.INITIAL_SYNC_COMPLETE, ''],
    ]);
    const gone = { metadata: { name: 'name-a', namespace: 'default', uid: 'a' } };
    setup.changes.emit({ kind: 'added', pod: toPod('c') });
    setup.changes.emit({ kind: 'modified', pod: toPod('b', 'new') });
    setup.changes.emit({ kind: 'deleted', pod: gone });
    assert.deepEqual(await read(stream, 3), [
      [EventType.ADDED, hex(toPod('c'))],
      [EventType.MODIFIED, hex(toPod('b', 'new'))],
      [EventType.DELETED, hex(gone)],
    ]);
    stream.on('error', () => {});
    stream.cancel();
  });

  it('has no limit in time for a watch', async () => {
    await using setup = await Setup.create('a');
    const stream = setup.watch();
    await read(stream, 2);
    await setup.clock.advance(3_600_000);
    setup.changes.emit({ kind: 'modified', pod: toPod('a') });
    assert.equal((await read(stream, 1))[0]?.[0], EventType.MODIFIED);
    stream.on('error', () => {});
    stream.cancel();
  });

  it('ends the watch of a caller that does not read, and no other', async () => {
    await using setup = await Setup.create();
    const quick = setup.watch();
    quick.on('error', () => {});
    await read(quick, 1);
    const session = setup.session();
    const slow = ask(session, WATCH);
    await once(slow, 'response');
    const large = 'x'.repeat(300_000);
    for (let change = 0; setup.dropped === 0; change++) {
      setup.changes.emit({ kind: 'modified', pod: toPod('a', `${change} ${large}`) });
      await read(quick, 1);
      assert.ok(change < 200);
    }
    await closed(slow);
    assert.equal(slow.rstCode, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    setup.changes.emit({ kind: 'deleted', pod: toPod('a') });
    assert.equal((await read(quick, 1))[0]?.[0], EventType.DELETED);
    assert.equal(setup.dropped, 1);
    session.destroy();
    quick.cancel();
  });

  it('refuses a watch beyond its limit, and takes the next when one has ended', async () => {
    await using setup = await Setup.create();
    const open: ClientReadableStream<Buffer>[] = [];
    for (let count = 0; count < 32; count++) {
      const stream = setup.watch();
      stream.on('error', () => {});
      await read(stream, 1);
      open.push(stream);
      await setup.clock.advance(10);
    }
    const last = await refusal(setup.watch());
    assert.match(last.message, /8 RESOURCE_EXHAUSTED: more than 32 watches are open/);
    for (const stream of open) stream.cancel();
    await setup.clock.advance(1_000);
    for (;;) {
      const stream = setup.watch();
      const failed = refusal(stream).then(() => 'refused');
      const answer = await Promise.race([read(stream, 1).catch(() => 'refused'), failed]);
      stream.cancel();
      if (answer !== 'refused') break;
      await setup.clock.advance(10);
    }
  });

  it('refuses calls while answers of many megabytes are not read', async () => {
    await using setup = await Setup.create();
    setup.pods.set('a', toPod('a', 'x'.repeat(4_000_000)));
    const session = setup.session();
    const unread = Array.from({ length: 9 }, () => ask(session, LIST));
    const refused = new Set<string>();
    while (!refused.has('too many answers are not read')) {
      await setup.clock.advance(10);
      await setup
        .call('/v1alpha1.Pods/GetPod')
        .catch(({ details }: ServiceError) => void refused.add(details));
    }
    // Those who do not read lose their calls, and the others are served again.
    await setup.clock.advance(20_000);
    for (const stream of unread) await closed(stream);
    await setup.call(LIST);
    session.destroy();
  });
});
