import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Node } from '../../core/api/node.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  CONFIG_HASH_ANNOTATION,
  CONFIG_MIRROR_ANNOTATION,
  CONFIG_SOURCE_ANNOTATION,
  isMirror,
} from '../../core/api/pod-identity.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { NODES, PODS } from '../../ports/cluster/api-resource.ts';
import type { DeleteOptions } from '../../ports/cluster/api-server.ts';
import { DesiredPods } from '../desired/desired-pods.ts';
import { MirrorPods } from './mirror-pods.ts';

const NODE = { metadata: { name: 'n', uid: 'node-uid' } } as Node;

/** As the file source delivers it. */
function staticPod(hash: string, name = 'web'): Pod {
  return samplePod({}, { metadata: { name, uid: hash, annotations: { [CONFIG_HASH_ANNOTATION]: hash } } });
}

function setUp(options: { node?: Node | undefined; sources?: ('file' | 'api')[] } = { node: NODE }) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const api = new MemoryApiServer({ clock });
  const desired = new DesiredPods({
    clock,
    events: new RecordingEvents(),
    sources: options.sources ?? ['file'],
  });
  const changed: string[] = [];
  const at = { node: options.node };
  const mirrors = new MirrorPods({
    api,
    clock,
    logger,
    desired,
    readNode: () => at.node,
    onChange: ({ uid }) => changed.push(uid),
  });
  const stop = new AbortController();
  const running = mirrors.run(stop.signal);
  const inApi = (name = 'web'): Pod | undefined => api.peek<Pod>(PODS, name, 'default');
  const hashInApi = (name = 'web'): string | undefined =>
    inApi(name)?.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION];
  /** What the API source delivers after its watch has caught up. */
  const echo = async (): Promise<void> => {
    const pods = ['web', 'db'].flatMap((name) => inApi(name) ?? []);
    mirrors.deliver(pods.filter(isMirror));
    await clock.settle();
  };
  const deliver = async (...pods: Pod[]): Promise<void> => {
    desired.deliver('file', pods);
    await clock.settle();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0, 'no timer is left');
  };
  const creates = (): number => api.callsTo({ verb: 'create', plural: 'pods' }).length;
  return { clock, logger, api, desired, mirrors, changed, at, inApi, hashInApi, echo, deliver, end, creates };
}

describe('MirrorPods', () => {
  it('makes the mirror of a static pod: the same pod, marked, owned by the node', async () => {
    const t = setUp();
    await t.echo();
    await t.deliver(staticPod('h1'));
    const mirror = t.inApi();
    assert.deepEqual(mirror?.spec, staticPod('h1').spec);
    assert.equal(t.hashInApi(), 'h1');
    assert.equal(mirror?.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION], 'file');
    assert.notEqual(mirror?.metadata.uid, 'h1');
    assert.deepEqual((mirror?.metadata as { ownerReferences?: unknown } | undefined)?.ownerReferences, [
      { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node-uid', controller: true },
    ]);
    await t.echo();
    assert.equal(t.creates(), 1);
    await t.end();
  });

  it('reports the new mirror, so that its status is patched although the watch delivers nothing newer', async () => {
    const t = setUp();
    await t.echo();
    await t.deliver(staticPod('h1'));
    assert.deepEqual(t.changed, ['h1']);
    assert.equal(t.mirrors.get('web_default')?.metadata.uid, t.inApi()?.metadata.uid);
    await t.echo();
    assert.deepEqual(t.changed, ['h1']);
    t.api.put(PODS, { ...t.inApi(), status: { phase: 'Failed' } });
    await t.echo();
    assert.deepEqual(t.changed, ['h1', 'h1']);
    await t.end();
  });

  it('makes none before the API server has said what is there', async () => {
    const t = setUp();
    await t.deliver(staticPod('h1'));
    assert.equal(t.creates(), 0);
    await t.echo();
    assert.equal(t.creates(), 1);
    await t.end();
  });

  const unfit: [string, Node | undefined][] = [
    ['unknown', undefined],
    ['without a UID', { metadata: { name: 'n' } } as Node],
    ['being deleted', { metadata: { name: 'n', uid: 'u', deletionTimestamp: 'now' } } as unknown as Node],
  ];
  for (const [what, node] of unfit) {
    it(`makes none while the node is ${what}, and makes it when that is over`, async () => {
      const t = setUp({ node });
      await t.echo();
      await t.deliver(staticPod('h1'));
      await t.clock.advance(60_000);
      assert.equal(t.creates(), 0);
      t.at.node = NODE;
      t.mirrors.wake();
      await t.clock.settle();
      assert.equal(t.hashInApi(), 'h1');
      await t.end();
    });

    it(`removes wrong and orphaned mirrors also while the node is ${what}`, async () => {
      const t = setUp({ node });
      t.api.put(PODS, mirror('old'));
      t.api.put(PODS, mirror('h2', 'db'));
      await t.deliver(staticPod('h1'));
      await t.echo();
      assert.equal(t.inApi(), undefined);
      assert.equal(t.inApi('db'), undefined);
      await t.end();
    });
  }

  it('replaces the mirror of another version in one go, under its UID', async () => {
    const t = setUp();
    const old = t.api.put<Pod>(PODS, mirror('old'));
    await t.deliver(staticPod('h1'));
    await t.echo();
    assert.equal(t.hashInApi(), 'h1');
    const options: DeleteOptions = t.api.callsTo({ verb: 'delete' })[0]?.options ?? {};
    assert.deepEqual([options.gracePeriodSeconds, options.uid], [0, old.metadata.uid]);
    await t.end();
  });

  it('replaces a mirror that is being deleted, and one that was deleted', async () => {
    const t = setUp();
    t.api.put(PODS, mirror('h1', 'web', { deletionTimestamp: 'now' }));
    await t.deliver(staticPod('h1'));
    await t.echo();
    assert.equal(t.inApi()?.metadata.deletionTimestamp, undefined);
    assert.equal(t.hashInApi(), 'h1');
    t.api.remove(PODS, 'web', 'default');
    await t.echo();
    assert.equal(t.hashInApi(), 'h1');
    await t.end();
  });

  it('leaves the mirror of the pod before alone until nothing of that is left', async () => {
    const t = setUp();
    await t.echo();
    await t.deliver(staticPod('h1'));
    await t.deliver(staticPod('h2'));
    await t.echo();
    assert.equal(t.hashInApi(), 'h1');
    t.desired.forget(toPodUid('h1'));
    await t.clock.settle();
    assert.equal(t.hashInApi(), 'h2');
    await t.end();
  });

  it('an orphan goes when all sources have spoken, whatever its UID', async () => {
    const t = setUp({ node: NODE, sources: ['file', 'api'] });
    t.api.put(PODS, mirror('old'));
    await t.echo();
    t.desired.deliver('file', []);
    await t.clock.advance(60_000);
    assert.notEqual(t.inApi(), undefined);
    t.desired.deliver('api', []);
    await t.clock.settle();
    assert.equal(t.inApi(), undefined);
    const options: DeleteOptions = t.api.callsTo({ verb: 'delete' })[0]?.options ?? {};
    assert.deepEqual([options.gracePeriodSeconds, options.uid], [0, undefined]);
    await t.end();
  });

  it('a mirror whose manifest cannot be used is no orphan', async () => {
    const t = setUp({ node: NODE, sources: ['file'] });
    t.api.put(PODS, mirror('old'));
    await t.echo();
    t.desired.deliver('file', [], false);
    await t.clock.advance(60_000);
    assert.notEqual(t.inApi(), undefined);
    t.desired.deliver('file', []);
    await t.clock.settle();
    assert.equal(t.inApi(), undefined);
    await t.end();
  });

  it('the mirror of a removed pod stays while the pod is ending, and goes after', async () => {
    const t = setUp();
    await t.echo();
    await t.deliver(staticPod('h1'));
    await t.deliver();
    await t.clock.advance(60_000);
    assert.equal(t.hashInApi(), 'h1');
    t.desired.forget(toPodUid('h1'));
    await t.clock.settle();
    assert.equal(t.inApi(), undefined);
    await t.end();
  });

  it('shows a pod that has ended by itself, but not one that is made to end', async () => {
    const t = setUp();
    await t.deliver(staticPod('h1'), staticPod('h2', 'db'));
    t.desired.requestTermination(toPodUid('h1'), { cause: 'completed' });
    t.desired.requestTermination(toPodUid('h2'), { cause: 'evicted' });
    await t.echo();
    assert.equal(t.hashInApi(), 'h1');
    assert.equal(t.inApi('db'), undefined);
    await t.end();
  });

  it('its own mirror that exists already is enough, however it came', async () => {
    const t = setUp();
    await t.echo();
    t.api.put(PODS, mirror('h1'));
    await t.deliver(staticPod('h1'));
    await t.echo();
    await t.clock.advance(60_000);
    assert.equal(t.creates(), 1);
    assert.deepEqual(t.logger.messages('warning'), []);
    await t.end();
  });

  it('a name that something else has is tried again until it is free', async () => {
    const t = setUp();
    t.api.put(PODS, samplePod({}, { metadata: { uid: 'foreign' } }));
    await t.echo();
    await t.deliver(staticPod('h1'));
    await t.clock.advance(60_000);
    assert.equal(t.inApi()?.metadata.uid, 'foreign');
    assert.ok(t.creates() > 2 && t.creates() < 12, `${t.creates()} tries`);
    t.api.remove(PODS, 'web', 'default');
    await t.clock.advance(20_000);
    assert.equal(t.hashInApi(), 'h1');
    await t.end();
  });

  it('failures are logged and tried again, less and less often, and a name that fails holds up no other', async () => {
    const t = setUp();
    t.api.fail({ verb: 'create', name: 'web' }, 'unavailable', 3);
    await t.deliver(staticPod('h1'), staticPod('h2', 'db'));
    await t.echo();
    assert.equal(t.hashInApi('db'), 'h2');
    await t.clock.advance(2_000 + 4_000 + 8_000);
    assert.equal(t.hashInApi(), 'h1');
    assert.equal(t.logger.messages('warning').length, 3);
    t.api.remove(PODS, 'web', 'default');
    t.api.put(PODS, mirror('other'));
    t.api.fail({ verb: 'delete' }, 'unavailable');
    await t.echo();
    await t.clock.advance(2_000);
    assert.equal(t.hashInApi(), 'h1');
    await t.end();
  });

  it('a mirror that is gone or another when it is to be deleted is not an error', async () => {
    const t = setUp();
    t.api.put(PODS, mirror('old'));
    await t.deliver(staticPod('h1'));
    t.api.fail({ verb: 'delete' }, 'not-found');
    const stale = t.inApi();
    t.api.remove(PODS, 'web', 'default');
    t.mirrors.deliver(stale === undefined ? [] : [stale]);
    await t.clock.settle();
    assert.equal(t.hashInApi(), 'h1');
    assert.deepEqual(t.logger.messages('warning'), []);
    await t.end();
  });

  it('a call that hangs ends with stop', async () => {
    const t = setUp();
    t.api.hang({ verb: 'create' });
    await t.deliver(staticPod('h1'));
    await t.echo();
    await t.end();
    assert.deepEqual(t.logger.messages('warning'), []);
  });

  it('never deletes anything but mirrors, and never stops a pod', async () => {
    const t = setUp();
    t.api.put(NODES, NODE);
    t.api.put(PODS, samplePod({}, { metadata: { name: 'db', uid: 'regular' } }));
    await t.deliver(staticPod('h1'));
    await t.echo();
    t.api.remove(PODS, 'web', 'default');
    await t.echo();
    assert.equal(t.api.callsTo({ verb: 'delete' }).length, 0);
    assert.equal(t.desired.records.get(toPodUid('h1'))?.termination, undefined);
    await t.end();
  });
});

function mirror(hash: string, name = 'web', more: Partial<Pod['metadata']> = {}): Pod {
  const annotations = { [CONFIG_HASH_ANNOTATION]: hash, [CONFIG_MIRROR_ANNOTATION]: hash };
  return samplePod({}, { metadata: { name, uid: `mirror-${hash}-${name}`, annotations, ...more } });
}
