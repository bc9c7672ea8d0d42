import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import { CONFIG_MAPS, SECRETS } from '../../../ports/cluster/api-resource.ts';
import type { RememberedObject } from '../../../ports/cluster/remembered-facts.ts';
import { ObjectCache } from './object-cache.ts';

const NAMESPACE = 'market';
const POD = samplePod({
  containers: [
    {
      name: 'main',
      image: 'app:1',
      envFrom: [
        { configMapRef: { name: 'map' } },
        { secretRef: { name: 'secret' } },
        { configMapRef: { name: 'none', optional: true } },
      ],
    },
  ],
});
const RAW = Buffer.from([0xff, 0, 1]);

describe('ObjectCache over two runs', () => {
  let clock: FakeClock;
  let api: MemoryApiServer;
  let notes: number;
  let remembered: Record<string, RememberedObject>;

  const open = (detection: 'Watch' | 'Get' = 'Watch'): ObjectCache => {
    const cache = new ObjectCache({
      api,
      clock,
      detection,
      readRemembered: (key) => remembered[key],
      onKnown: () => notes++,
    });
    cache.register(POD);
    return cache;
  };
  const read = async (cache: ObjectCache) => [
    await clock.finish(cache.configMap(NAMESPACE, 'map')),
    await clock.finish(cache.secret(NAMESPACE, 'secret')),
    await clock.finish(cache.configMap(NAMESPACE, 'none')),
  ];

  beforeEach(async () => {
    clock = new FakeClock();
    api = new MemoryApiServer({ clock });
    notes = 0;
    remembered = {};
    const metadata = { namespace: NAMESPACE };
    api.put(CONFIG_MAPS, { metadata: { ...metadata, name: 'map' }, data: { k: 'v' }, immutable: true });
    api.put(SECRETS, { metadata: { ...metadata, name: 'secret' }, data: { raw: RAW.toString('base64') } });
  });

  /** The second run knows what the first one wrote down. */
  const restart = async (detection?: 'Watch' | 'Get') => {
    const first = open();
    const before = await read(first);
    remembered = JSON.parse(JSON.stringify(first.remember())) as Record<string, RememberedObject>;
    return { before, cache: open(detection) };
  };

  for (const detection of ['Watch', 'Get'] as const)
    it(`answers from the earlier run while the server is away (${detection}), bytes and absence included`, async () => {
      const { before, cache } = await restart(detection);
      assert.equal(notes, 3);
      api.unreachable = true;
      const after = await read(cache);
      assert.deepEqual(after, before);
      const [, secret] = after;
      assert.ok(secret?.kind === 'found' && Buffer.from(secret.bytes?.['raw'] ?? []).equals(RAW));
      const unknown = await clock.finish(cache.secret(NAMESPACE, 'other'));
      assert.equal(unknown.kind, 'failed');
    });

  it('asks a server that is there, also for what could not change before', async () => {
    const { cache } = await restart();
    api.remove(CONFIG_MAPS, 'map', NAMESPACE);
    api.put(CONFIG_MAPS, { metadata: { namespace: NAMESPACE, name: 'map' }, data: { k: 'new' } });
    const [map] = await read(cache);
    assert.deepEqual(map, { kind: 'found', data: { k: 'new' } });
  });

  it('does not wait long for a server that does not answer', async () => {
    const { before, cache } = await restart();
    api.hang({ verb: 'get' }, 100);
    const began = clock.now();
    assert.deepEqual(await read(cache), before);
    assert.ok(clock.now() - began <= 9_000, `${clock.now() - began} ms`);
  });

  it('takes a refusal for an answer', async () => {
    const { cache } = await restart();
    api.fail({ verb: 'get', plural: 'secrets' }, 'permission-denied', 100);
    const [, secret] = await read(cache);
    assert.equal(secret?.kind, 'failed');
  });

  it('remembers only what pods of the node refer to', async () => {
    const { cache } = await restart();
    assert.deepEqual(Object.keys(cache.remember()).toSorted(), [
      `configmap/${NAMESPACE}/map`,
      `configmap/${NAMESPACE}/none`,
      `secret/${NAMESPACE}/secret`,
    ]);
    cache.unregister(POD.metadata.uid);
    assert.deepEqual(cache.remember(), {});
  });
});
