import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../../base/errors.ts';
import { type ApiList, type ApiObject, ApiStatusError } from '../../../ports/cluster/api-server.ts';
import { Reflector, type ReflectorSource } from './reflector.ts';
import type { ReflectorTiming } from './reflector-timing.ts';
import type { WatchFrame } from './watch-frame.ts';

const TIMING: ReflectorTiming = {
  watchSeconds: 300,
  overtimeMs: 30_000,
  idleMs: 180_000,
  listTimeoutMs: 60_000,
  relistEveryMs: 3_600_000,
  relistAfterUseless: 5,
  usefulMs: 5_000,
  initialMs: 200,
  maxMs: 10_000,
  spreadMs: 100,
  maxAskedWaitMs: 60_000,
};

interface OpenWatch {
  readonly from: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly send: (frame: WatchFrame<ApiObject>) => void;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

/** Lists and watches that the test answers by hand; a watch it does not answer hangs, even when aborted. */
class ManualSource implements ReflectorSource<ApiObject> {
  readonly lists: { at: number; signal: AbortSignal }[] = [];
  readonly watches: OpenWatch[] = [];
  answerList: () => Promise<ApiList<ApiObject>> = async () => ({ resourceVersion: '10', items: [] });
  answerWatch: ((watch: OpenWatch) => void) | undefined;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  list(signal: AbortSignal): Promise<ApiList<ApiObject>> {
    this.lists.push({ at: this.#clock.now(), signal });
    return this.answerList();
  }

  watch(
    from: string,
    seconds: number,
    onFrame: (frame: WatchFrame<ApiObject>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const send = (frame: WatchFrame<ApiObject>): void => {
      try {
        onFrame(frame);
      } catch (error) {
        reject(error);
      }
    };
    const watch = { from, seconds, signal, send, end: resolve, fail: reject };
    this.watches.push(watch);
    this.answerWatch?.(watch);
    return promise;
  }

  get last(): OpenWatch {
    const watch = this.watches.at(-1);
    assert.ok(watch, 'no watch was opened');
    return watch;
  }
}

const object = (name: string, resourceVersion = '11'): ApiObject => ({ metadata: { name, resourceVersion } });
const added = (name: string, version: string): WatchFrame<ApiObject> => ({
  type: 'ADDED',
  version,
  object: object(name, version),
});
const down = (): AgentError => new AgentError('unavailable', 'connection refused');

describe('Reflector', () => {
  let clock: FakeClock;
  let source: ManualSource;
  let logger: RecordingLogger;
  let reflector: Reflector<ApiObject>;
  let received: string[];
  let stop: AbortController;
  let running: Promise<void>;
  let onEvent: (type: string, object: ApiObject) => void;

  beforeEach(() => {
    clock = new FakeClock();
    source = new ManualSource(clock);
    logger = new RecordingLogger();
    received = [];
    stop = new AbortController();
    onEvent = (type, { metadata }) => void received.push(`${type} ${metadata.name}`);
    reflector = new Reflector({ what: 'pods', source, clock, random: () => 0, logger, timing: TIMING });
  });

  afterEach(async () => {
    stop.abort();
    await clock.settle();
    await running;
    assert.equal(clock.pendingTimers, 0);
    assert.equal(reflector.health().lastEventAgeMs, 0);
  });

  async function start(): Promise<void> {
    running = reflector.run(stop.signal, {
      onReplace: (items) =>
        void received.push(`replace ${items.map(({ metadata }) => metadata.name).join(',')}`),
      onEvent: (type, item) => onEvent(type, item),
      onSynced: () => void received.push('synced'),
    });
    await clock.settle();
  }

  it('delivers the list, then changes in order, and watches from the version of the list', async () => {
    source.answerList = async () => ({ resourceVersion: '10', items: [object('a')] });
    await start();
    assert.equal(source.last.from, '10');
    source.last.send(added('b', '11'));
    source.last.send({ type: 'DELETED', version: '12', object: object('a', '12') });
    assert.deepEqual(received, ['replace a', 'synced', 'ADDED b', 'DELETED a']);
  });

  it('refuses to run twice at a time', async () => {
    await start();
    const handlers = { onReplace: () => {}, onEvent: () => {} };
    await assert.rejects(reflector.run(stop.signal, handlers), /already followed/);
  });

  it('continues from the last event or bookmark when the server ends the watch', async () => {
    await start();
    source.last.send(added('b', '11'));
    source.last.send({ type: 'BOOKMARK', version: '20' });
    source.last.end();
    await clock.advance(100);
    assert.equal(source.watches.length, 2);
    assert.equal(source.last.from, '20');
    assert.deepEqual(received, ['replace ', 'synced', 'ADDED b']);
    assert.deepEqual(reflector.health(), {
      lastEventAgeMs: 100,
      relists: 0,
      reconnects: 1,
      failures: 0,
      synced: true,
    });
  });

  it('tries a failing list again with growing pauses up to the cap, and is not synced meanwhile', async () => {
    source.answerList = async () => Promise.reject(down());
    await start();
    await clock.advance(60_000);
    const gaps = source.lists.slice(1).map(({ at }, i) => at - (source.lists[i]?.at ?? 0));
    // Half of the full pause, because the lot is 0.
    assert.deepEqual(gaps.slice(0, 8), [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    assert.deepEqual([received, reflector.health().synced], [[], false]);
    assert.equal(reflector.health().lastEventAgeMs, 60_000);
    source.answerList = async () => ({ resourceVersion: '10', items: [] });
    await clock.advance(5000);
    assert.deepEqual(received, ['replace ', 'synced']);
  });

  it('leaves behind a list that never answers', async () => {
    source.answerList = () => new Promise(() => {});
    await start();
    await clock.advance(60_000);
    assert.equal(source.lists[0]?.signal.aborted, true);
    await clock.advance(1000);
    assert.equal(source.lists.length, 2);
  });

  it('lists again when the version has expired, reported by refusal or by event', async () => {
    await start();
    source.last.fail(new AgentError('gone', 'too old resource version'));
    await clock.advance(1000);
    assert.equal(source.lists.length, 2);
    source.last.send({ type: 'ERROR', error: new AgentError('gone', 'too old resource version') });
    await clock.advance(1000);
    assert.equal(source.lists.length, 3);
    assert.equal(reflector.health().relists, 2);
    assert.deepEqual(received, ['replace ', 'synced', 'replace ', 'replace ']);
  });

  it('does not hammer a server that expires every version at once', async () => {
    source.answerWatch = (watch) => watch.fail(new AgentError('gone', 'too old'));
    await start();
    await clock.advance(60_000);
    assert.ok(source.lists.length < 20, `${source.lists.length} lists in a minute`);
  });

  it('does not hammer a server that ends every watch at once', async () => {
    source.answerWatch = (watch) => watch.end();
    await start();
    await clock.advance(60_000);
    assert.ok(source.watches.length < 40, `${source.watches.length} watches in a minute`);
  });

  it('goes on with a new watch when one is silent for too long, though the old call never ends', async () => {
    await start();
    const first = source.last;
    await clock.advance(TIMING.idleMs);
    assert.equal(first.signal.aborted, true);
    await clock.advance(100);
    assert.equal(source.watches.length, 2);
    assert.equal(source.last.from, '10');
    first.send(added('ghost', '99'));
    source.last.send(added('real', '11'));
    assert.deepEqual(received, ['replace ', 'synced', 'ADDED real']);
  });

  it('counts bookmarks as signs of life but ends a watch that outlives the time asked for', async () => {
    await start();
    const [first] = source.watches;
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      assert.equal(first?.signal.aborted, false);
      assert.equal(reflector.health().lastEventAgeMs, 60_000);
      first?.send({ type: 'BOOKMARK', version: '11' });
    }
    assert.equal(first?.seconds, 300);
    await clock.advance(30_000);
    assert.equal(first?.signal.aborted, true);
  });

  it('lists again after several watches that the server answered without an event', async () => {
    source.answerWatch = (watch) => watch.fail(new AgentError('unknown', 'not what was asked for'));
    await start();
    await clock.advance(3_000);
    assert.equal(source.watches.length, 5);
    source.answerWatch = undefined;
    await clock.advance(2_000);
    assert.equal(source.lists.length, 2);
    assert.ok(logger.messages('warning').includes('watch failed'));
  });

  it('does not list again because the server could not be reached for a while', async () => {
    source.answerWatch = (watch) => watch.fail(down());
    await start();
    await clock.advance(600_000);
    source.answerWatch = undefined;
    await clock.advance(10_000);
    source.last.send(added('b', '11'));
    assert.deepEqual(received, ['replace ', 'synced', 'ADDED b']);
    assert.equal(source.lists.length, 1);
  });

  it('lists again when asked to, at once and also during a pause', async () => {
    await start();
    reflector.relist();
    await clock.settle();
    assert.equal(source.lists.length, 2);
    source.last.fail(down());
    await clock.settle();
    reflector.relist();
    await clock.advance(1000);
    assert.equal(source.lists.length, 3);
  });

  it('lists again when asked while a list is under way', async () => {
    const answer = Promise.withResolvers<ApiList<ApiObject>>();
    source.answerList = () => answer.promise;
    await start();
    reflector.relist();
    answer.resolve({ resourceVersion: '10', items: [] });
    await clock.settle();
    assert.equal(source.lists.length, 2);
  });

  it('lists again after the longest time without one, though all seems well', async () => {
    await start();
    const bookmark = (): void => source.last.send({ type: 'BOOKMARK', version: '11' });
    while (source.lists.length === 1 && clock.now() - (source.lists[0]?.at ?? 0) < 2 * TIMING.relistEveryMs) {
      bookmark();
      await clock.advance(60_000);
    }
    assert.equal((source.lists[1]?.at ?? 0) - (source.lists[0]?.at ?? 0), TIMING.relistEveryMs);
  });

  it('waits as long as an overloaded server asks', async () => {
    await start();
    const status = { code: 429, reason: 'TooManyRequests', message: 'slow down', retryAfterSeconds: 7 };
    const cause = new ApiStatusError(status);
    source.last.fail(new AgentError('too-many-requests', 'slow down', { cause }));
    await clock.advance(6_999);
    assert.equal(source.watches.length, 1);
    await clock.advance(1);
    assert.equal(source.watches.length, 2);
  });

  it('answers a handler that throws with a new list, and lives on', async () => {
    await start();
    onEvent = () => {
      throw new Error('a bug in the receiver');
    };
    source.last.send(added('b', '11'));
    await clock.advance(1000);
    assert.equal(source.lists.length, 2);
    assert.deepEqual(received, ['replace ', 'synced', 'replace ']);
  });

  it('ends with its signal while it watches, pauses or lists, and delivers nothing afterwards', async () => {
    await start();
    const { last } = source;
    stop.abort();
    await running;
    last.send(added('late', '12'));
    assert.equal(last.signal.aborted, true);
    assert.deepEqual(received, ['replace ', 'synced']);
  });
});
