import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeApiClient } from '../../../../test/fakes/fake-api-client.ts';
import { FakeApiStore } from '../../../../test/fakes/fake-api-store.ts';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { PodChanges } from '../../../ports/pod-source.ts';
import { ApiPodSource } from './api-pod-source.ts';

const PODS = { plural: 'pods', place: '/v1/pods', namespace: 'default' };

describe('ApiPodSource', () => {
  let clock: FakeClock;
  let store: FakeApiStore;
  let api: FakeApiClient;
  let deliveries: string[];
  let changes: (PodChanges | undefined)[];

  beforeEach(() => {
    clock = new FakeClock();
    store = new FakeApiStore(() => clock.now());
    api = new FakeApiClient({ store, clock, random: () => 0, logger: new RecordingLogger() });
    deliveries = [];
    changes = [];
  });

  function create(name: string, nodeName?: string): void {
    store.create(PODS, { metadata: { name }, spec: nodeName === undefined ? {} : { nodeName } });
  }

  async function withSource(
    work: (source: ApiPodSource) => Promise<void>,
    startAfter?: (stop: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const source = new ApiPodSource({ api, nodeName: 'one', clock, ...(startAfter ? { startAfter } : {}) });
    const stop = new AbortController();
    const show = ({ kind, metadata }: Pod): string => `${kind ?? '?'}:${metadata.name}`;
    const done = source.run(stop.signal, (pods, _complete, changed) => {
      deliveries.push(pods.map(show).join(' '));
      changes.push(changed);
    });
    await clock.advance(1);
    await work(source);
    stop.abort();
    await done;
    assert.equal(clock.pendingTimers, 0);
  }

  it('delivers the pods of this node, first at once, then whole after each change', async () => {
    create('a', 'one');
    create('elsewhere', 'two');
    await withSource(async (source) => {
      assert.equal(source.name, 'api');
      assert.deepEqual(deliveries, ['Pod:a']);
      create('b');
      await clock.advance(1);
      assert.equal(deliveries.length, 1);
      store.patch(PODS, 'b', { kind: 'Pod', spec: { nodeName: 'one' } }, 'merge');
      await clock.advance(1);
      store.delete(PODS, 'a', { gracePeriodSeconds: 0 });
      await clock.advance(1);
      assert.deepEqual(deliveries, ['Pod:a', 'Pod:a Pod:b', 'Pod:b']);
    });
  });

  it('says what has changed since the last delivery, which the first one cannot', async () => {
    create('a', 'one');
    create('b', 'one');
    const namesOf = (pods: readonly Pod[] = []): string[] => pods.map(({ metadata }) => metadata.name);
    await withSource(async () => {
      store.patch(PODS, 'a', { metadata: { labels: { x: 'y' } } }, 'merge');
      await clock.advance(1);
      store.patch(PODS, 'a', { metadata: { labels: { x: 'z' } } }, 'merge');
      store.patch(PODS, 'a', { metadata: { labels: { x: 'y' } } }, 'merge');
      create('c', 'one');
      store.delete(PODS, 'b', { gracePeriodSeconds: 0 });
      create('b', 'one');
      create('d', 'one');
      store.delete(PODS, 'd', { gracePeriodSeconds: 0 });
      await clock.advance(1);
    });
    assert.equal(changes[0], undefined);
    assert.deepEqual([namesOf(changes[1]?.changed), namesOf(changes[1]?.gone)], [['a'], []]);
    const [changed, gone] = [namesOf(changes[2]?.changed), changes[2]?.gone ?? []];
    assert.deepEqual([changed.sort(), namesOf(gone)], [['a', 'b', 'c'], ['b']]);
    assert.notEqual(
      gone[0]?.metadata.uid,
      changes[2]?.changed.find(({ metadata }) => metadata.name === 'b')?.metadata.uid,
    );
  });

  it('delivers an empty set when the node has no pods', () =>
    withSource(async (source) => {
      assert.deepEqual(deliveries, ['']);
      assert.equal(source.health().synced, true);
    }));

  it('delivers once for changes that come together', () =>
    withSource(async () => {
      for (const name of ['a', 'b', 'c'])
        store.create(PODS, { kind: 'Pod', metadata: { name }, spec: { nodeName: 'one' } });
      await clock.advance(1);
      assert.deepEqual(deliveries, ['', 'Pod:a Pod:b Pod:c']);
    }));

  it('delivers nothing while the API server cannot be reached, and what it has once it can', async () => {
    create('a', 'one');
    api.unreachable = true;
    await withSource(async () => {
      await clock.advance(60_000);
      assert.deepEqual(deliveries, []);
      api.unreachable = false;
      await clock.advance(10_000);
      assert.deepEqual(deliveries, ['Pod:a']);
    });
  });

  it('keeps the pods it knows while the API server is away', async () => {
    create('a', 'one');
    await withSource(async () => {
      api.unreachable = true;
      store.delete(PODS, 'a', { gracePeriodSeconds: 0 });
      await clock.advance(600_000);
      assert.deepEqual(deliveries, ['Pod:a']);
      api.unreachable = false;
      await clock.advance(20_000);
      assert.equal(deliveries.at(-1), '');
    });
  });

  it('asks for nothing before what it waits for has come', async () => {
    const ready = Promise.withResolvers<void>();
    await withSource(
      async () => {
        assert.equal(api.calls.length, 0);
        ready.resolve();
        await clock.advance(1);
        assert.deepEqual(deliveries, ['']);
      },
      () => ready.promise,
    );
  });
});
