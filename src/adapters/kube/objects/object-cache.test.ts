import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeApiClient } from '../../../../test/fakes/fake-api-client.ts';
import { FakeApiStore } from '../../../../test/fakes/fake-api-store.ts';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { ObjectCache } from './object-cache.ts';
import { toObjectLookup } from './to-object-lookup.ts';

const MAPS = { plural: 'configmaps', place: '/v1/configmaps', namespace: 'n' };
const MAP = { kind: 'configmap', namespace: 'n', name: 'a' } as const;

describe('ObjectCache', () => {
  let clock: FakeClock;
  let store: FakeApiStore;
  let api: FakeApiClient;
  let cache: ObjectCache;
  let changes: number;
  const onChange = (): void => void changes++;

  beforeEach(() => {
    clock = new FakeClock();
    store = new FakeApiStore(() => clock.now());
    api = new FakeApiClient({ store, clock, random: () => 0, logger: new RecordingLogger() });
    cache = new ObjectCache({ api, clock });
    changes = 0;
  });

  const create = (value: string, more: object = {}): void =>
    void store.create(MAPS, { metadata: { name: 'a' }, data: { k: value }, ...more });
  const change = (value: string): void => void store.patch(MAPS, 'a', { data: { k: value } }, 'merge');
  const found = (value: string): object => ({ kind: 'found', data: { k: value } });
  const verbs = (): string => api.calls.map(({ verb }) => verb).join(' ');

  it('asks the server each time for an object without listeners', async () => {
    assert.deepEqual(await cache.configMap('n', 'a'), { kind: 'missing' });
    create('1');
    assert.deepEqual(await cache.configMap('n', 'a'), found('1'));
    assert.equal(verbs(), 'get get');
  });

  it('follows an object while it has listeners: one watch, answers from memory, a call for each change', async () => {
    create('1');
    const first = cache.subscribe(MAP, onChange);
    const second = cache.subscribe(MAP, onChange);
    assert.deepEqual(await clock.finish(cache.configMap('n', 'a')), found('1'));
    await clock.settle();
    change('2');
    await clock.settle();
    assert.deepEqual(await cache.configMap('n', 'a'), found('2'));
    assert.equal(changes, 2);
    store.delete(MAPS, 'a');
    await clock.settle();
    assert.deepEqual(await cache.configMap('n', 'a'), { kind: 'missing' });
    create('3');
    await clock.settle();
    assert.equal(changes, 6);
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    await clock.settle();
    assert.deepEqual([verbs(), store.watchers, clock.pendingTimers], ['list watch', 0, 0]);
  });

  it('does not call for what a new list repeats', async () => {
    create('1');
    using _subscription = cache.subscribe(MAP, onChange);
    await clock.settle();
    api.unreachable = true;
    store.compact();
    api.unreachable = false;
    await clock.advance(10_000);
    assert.equal(cache.health()[0]?.relists, 1);
    assert.equal(changes, 0);
  });

  it('keeps an immutable object without a watch', async () => {
    create('1', { immutable: true });
    using _subscription = cache.subscribe(MAP, onChange);
    await clock.settle();
    assert.deepEqual(await cache.configMap('n', 'a'), found('1'));
    assert.equal(store.watchers, 0);
  });

  it('says that it could not sync when the first list does not come within a second', async () => {
    api.unreachable = true;
    using _subscription = cache.subscribe({ ...MAP, kind: 'secret' }, onChange);
    const began = clock.now();
    const message = 'failed to sync secret cache: timed out waiting for the condition';
    assert.deepEqual(await clock.finish(cache.secret('n', 'a')), { kind: 'failed', message });
    assert.equal(clock.now() - began, 1000);
    api.unreachable = false;
    await clock.advance(10_000);
    assert.equal(changes, 1);
  });

  it('serves what it knows while the server cannot be reached', async () => {
    create('1');
    using _subscription = cache.subscribe(MAP, onChange);
    await clock.settle();
    api.unreachable = true;
    await clock.advance(60_000);
    assert.deepEqual(await cache.configMap('n', 'a'), found('1'));
    assert.equal((await cache.configMap('n', 'other')).kind, 'failed');
  });
});

describe('toObjectLookup', () => {
  it('decodes secrets and keeps as bytes only what is not text', () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const data = { text: Buffer.from('grün').toString('base64'), raw: bytes.toString('base64') };
    const lookup = toObjectLookup('secret', { metadata: { uid: 'u' }, type: 'Opaque', data });
    assert.ok(lookup.kind === 'found');
    assert.deepEqual(lookup.secret, { uid: 'u', type: 'Opaque' });
    assert.equal(lookup.data['text'], 'grün');
    assert.deepEqual(lookup.bytes, { raw: bytes });
  });

  it('takes the text and the binary data of a ConfigMap', () => {
    const lookup = toObjectLookup('configmap', { data: { a: 'x' }, binaryData: { b: btoa('y') } });
    assert.deepEqual(lookup, { kind: 'found', data: { a: 'x' }, bytes: { b: Buffer.from('y') } });
    assert.deepEqual(toObjectLookup('configmap', {}), { kind: 'found', data: {} });
  });
});
