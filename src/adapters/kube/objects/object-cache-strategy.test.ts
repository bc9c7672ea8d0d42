import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import { CONFIG_MAPS } from '../../../ports/cluster/api-resource.ts';
import type { GetOptions } from '../../../ports/cluster/api-server.ts';
import { ObjectCache, type ObjectCacheSettings } from './object-cache.ts';

const NAMESPACE = 'market';
const MAP = { kind: 'configmap', namespace: NAMESPACE, name: 'prices' } as const;
const pod = (uid: string, name = 'prices') =>
  samplePod({ containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name } }] }] }, { uid });

let clock: FakeClock;
let api: MemoryApiServer;
let changes: number;

beforeEach(() => {
  clock = new FakeClock();
  api = new MemoryApiServer({ clock });
  changes = 0;
});

const create = (settings: Partial<ObjectCacheSettings> = {}): ObjectCache =>
  new ObjectCache({ api, clock, ...settings });
const put = (value: string, more: object = {}): void =>
  void api.put(CONFIG_MAPS, {
    metadata: { name: 'prices', namespace: NAMESPACE },
    data: { v: value },
    ...more,
  });
const onChange = (): void => void changes++;
const gets = (): number => api.callsTo({ verb: 'get' }).length;
const textOf = (lookup: ObjectLookup): string | undefined =>
  lookup.kind === 'found' ? lookup.data['v'] : lookup.kind === 'failed' ? lookup.message : lookup.kind;
const read = async (cache: ObjectCache): Promise<string | undefined> =>
  textOf(await clock.finish(cache.configMap(NAMESPACE, 'prices')));

describe('ObjectCache with watches', () => {
  it('asks once for pods that start together and watches nothing for them', async () => {
    put('1');
    const cache = create();
    for (const uid of ['a', 'b']) cache.register(pod(uid));
    assert.deepEqual(await Promise.all([read(cache), read(cache)]), ['1', '1']);
    assert.equal(await read(cache), '1');
    assert.deepEqual([gets(), api.store.watchers], [1, 0]);
    await clock.advance(1000);
    put('2');
    assert.equal(await read(cache), '2');
  });

  it('shows a new pod the newest, however fresh the answer for another one', async () => {
    put('1');
    const cache = create();
    cache.register(pod('a'));
    await read(cache);
    put('2');
    cache.register(pod('b'));
    assert.equal(await read(cache), '2');
  });

  it('remembers for a registered pod what the server said, until the pod goes or refers to it no more', async () => {
    put('1');
    const cache = create();
    cache.register(pod('a'));
    cache.register(pod('b'));
    await read(cache);
    api.unreachable = true;
    await clock.advance(3_600_000);
    assert.equal(await read(cache), '1');
    cache.unregister('a');
    assert.equal(await read(cache), '1');
    cache.register(pod('b', 'other'));
    assert.equal(await read(cache), 'the API server cannot be reached');
  });

  it('keeps the objects of a pod that is registered again as it was', async () => {
    put('1');
    const cache = create();
    cache.register(pod('a'));
    await read(cache);
    cache.register(pod('a'));
    api.unreachable = true;
    await clock.advance(60_000);
    assert.equal(await read(cache), '1');
  });

  it('waits a little for the server to grant what a new pod refers to', async () => {
    put('1');
    const cache = create();
    api.fail({ verb: 'get' }, 'permission-denied', 2);
    assert.equal(await read(cache), '1');
    api.fail({ verb: 'get' }, 'permission-denied', 100);
    const beganMs = clock.now();
    assert.equal(await read(cache), 'injected permission-denied');
    assert.ok(clock.now() - beganMs <= 1000);
  });

  it('waits for the first list of a watch even when it remembers an old answer', async () => {
    put('1');
    const cache = create();
    cache.register(pod('a'));
    await read(cache);
    put('2');
    using _subscription = cache.subscribe(MAP, onChange);
    assert.equal(await read(cache), '2');
    await cache.close();
  });

  it('serves what it remembers when the first list of a watch does not come', async () => {
    put('1');
    const cache = create();
    cache.register(pod('a'));
    await read(cache);
    api.unreachable = true;
    using _subscription = cache.subscribe(MAP, onChange);
    assert.equal(await read(cache), '1');
    await cache.close();
  });

  it('asks no more for an immutable object', async () => {
    put('1', { immutable: true });
    const cache = create();
    cache.register(pod('a'));
    await read(cache);
    await clock.advance(60_000);
    using _subscription = cache.subscribe(MAP, onChange);
    assert.equal(await read(cache), '1');
    assert.deepEqual([gets(), api.calls.length], [1, 1]);
  });

  it('close ends the watches', async () => {
    const cache = create();
    using _subscription = cache.subscribe(MAP, onChange);
    await clock.settle();
    assert.equal(api.store.watchers, 1);
    await cache.close();
    assert.deepEqual([api.store.watchers, clock.pendingTimers], [0, 0]);
  });

  it('lets a caller leave', async () => {
    api.hang({ verb: 'get' });
    const stop = new AbortController();
    const left = create().configMap(NAMESPACE, 'prices', stop.signal);
    stop.abort();
    assert.deepEqual(await left, { kind: 'failed', message: 'cancelled' });
  });
});

describe('ObjectCache with a time to live', () => {
  it('asks again when the answer is too old, then as cheaply as the server allows', async () => {
    put('1');
    const cache = create({ detection: 'Cache', ttlMs: () => 30_000 });
    cache.register(pod('a'));
    await read(cache);
    put('2');
    await clock.advance(29_999);
    assert.equal(await read(cache), '1');
    await clock.advance(1);
    assert.equal(await read(cache), '2');
    cache.register(pod('b'));
    assert.equal(await read(cache), '2');
    assert.deepEqual(
      api.callsTo({ verb: 'get' }).map(({ options }) => (options as GetOptions | undefined)?.resourceVersion),
      [undefined, '0', undefined],
    );
  });

  it('serves the old answer when the server fails', async () => {
    put('1');
    const cache = create({ detection: 'Cache', ttlMs: () => 0 });
    cache.register(pod('a'));
    await read(cache);
    api.unreachable = true;
    assert.equal(await read(cache), '1');
    assert.equal(gets(), 2);
  });

  it('finds changes for those who listen, without a watch', async () => {
    put('1');
    const cache = create({ detection: 'Cache', ttlMs: () => 100_000, pollMs: 60_000 });
    using subscription = cache.subscribe(MAP, onChange);
    await read(cache);
    put('2');
    await clock.advance(60_000);
    assert.deepEqual([changes, gets()], [0, 1]);
    await clock.advance(60_000);
    assert.deepEqual([changes, gets()], [1, 2]);
    subscription[Symbol.dispose]();
    await clock.settle();
    assert.deepEqual([api.callsTo({ verb: 'watch' }).length, clock.pendingTimers], [0, 0]);
  });
});

describe('ObjectCache that asks each time', () => {
  it('keeps no answer, not even for a server that fails', async () => {
    put('1');
    const cache = create({ detection: 'Get' });
    cache.register(pod('a'));
    assert.deepEqual([await read(cache), await read(cache)], ['1', '1']);
    assert.equal(gets(), 2);
    api.unreachable = true;
    assert.equal(await read(cache), 'the API server cannot be reached');
  });

  it('notifies listeners of changes and of the first answer they missed', async () => {
    const cache = create({ detection: 'Get', pollMs: 60_000 });
    api.unreachable = true;
    using _subscription = cache.subscribe(MAP, onChange);
    await read(cache);
    api.unreachable = false;
    await clock.advance(60_000);
    assert.equal(changes, 1);
    put('1');
    await clock.advance(60_000);
    assert.equal(changes, 2);
    await clock.advance(60_000);
    assert.equal(changes, 2);
    await cache.close();
  });
});
