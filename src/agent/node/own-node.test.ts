import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { AgentError } from '../../base/errors.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import { OwnNode } from './own-node.ts';

function setUp() {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const own = new OwnNode(api, 'n');
  const stop = new AbortController();
  return { clock, api, own, stop };
}

describe('OwnNode', () => {
  it('follows its own node and no other, until it is deleted', async () => {
    const { clock, api, own, stop } = setUp();
    let changes = 0;
    own.subscribe(() => changes++);
    const running = own.run(stop.signal);
    await clock.finish(own.whenSynced(stop.signal));
    assert.equal(own.current as unknown, undefined);
    api.put(NODES, { metadata: { name: 'other' } });
    api.put(NODES, { metadata: { name: 'n', labels: { a: '1' } } });
    await clock.settle();
    assert.deepEqual(own.current?.metadata.labels, { a: '1' });
    assert.equal(changes, 2);
    api.remove(NODES, 'n');
    await clock.settle();
    assert.equal(own.current, undefined);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });

  it('an older version never replaces a newer one; another object always does', () => {
    const { own } = setUp();
    const node = (uid: string, resourceVersion: string) => ({
      metadata: { name: 'n', uid, resourceVersion },
    });
    own.remember(node('u', '10'));
    own.remember(node('u', '9'));
    assert.equal(own.current?.metadata.resourceVersion, '10');
    own.remember(node('v', '3'));
    assert.equal(own.current?.metadata.uid, 'v');
  });

  it('reads the node at once when asked to, and says when it cannot', async () => {
    const { clock, api, own } = setUp();
    api.put(NODES, { metadata: { name: 'n', labels: { a: '1' } } });
    await clock.finish(own.refresh());
    assert.deepEqual(own.current?.metadata.labels, { a: '1' });
    api.unreachable = true;
    await clock.finish(assert.rejects(own.refresh(), AgentError));
    assert.deepEqual(own.current?.metadata.labels, { a: '1' });
  });

  it('whenSynced ends with stop when the API server cannot be reached', async () => {
    const { api, own, stop } = setUp();
    api.unreachable = true;
    const waiting = own.whenSynced(stop.signal);
    stop.abort();
    await waiting;
    assert.equal(own.current, undefined);
  });
});
