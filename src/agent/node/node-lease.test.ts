import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Lease } from '../../core/api/lease.ts';
import { LEASES, NODES } from '../../ports/cluster/api-resource.ts';
import { NodeLease } from './node-lease.ts';

const LEASE = { plural: 'leases' };

function setUp({ withNode = true, random = 0 } = {}) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  if (withNode) api.put(NODES, { metadata: { name: 'n', uid: 'node-uid' } });
  let repeated = 0;
  const lease = new NodeLease({
    api,
    clock,
    logger: new RecordingLogger(),
    random: () => random,
    nodeName: 'n',
    durationSeconds: 40,
    timeoutMs: 10_000,
    onRepeatedFailure: () => repeated++,
  });
  const stop = new AbortController();
  const running = lease.run(stop.signal);
  const peek = (): Lease | undefined => api.peek<Lease>(LEASES, 'n', 'kube-node-lease');
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  return { clock, api, lease, peek, end, repeated: () => repeated };
}

describe('NodeLease', () => {
  it('creates the lease, owned by the node, and does not update it at once', async () => {
    const { clock, api, lease, peek, end } = setUp();
    await clock.settle();
    assert.deepEqual(peek()?.metadata.ownerReferences, [
      { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node-uid' },
    ]);
    assert.equal(peek()?.spec?.renewTime, '2026-01-02T03:04:05.000000Z');
    assert.equal(lease.renewedAtMs, clock.steady());
    assert.deepEqual(
      api.callsTo(LEASE).map(({ verb }) => verb),
      ['get', 'create'],
    );
    await end();
    assert.ok(peek());
  });

  it('renews every quarter of the duration without reading, as a heartbeat', async () => {
    const { clock, api, peek, end } = setUp();
    await clock.settle();
    api.forgetCalls();
    await clock.advance(30_000);
    assert.deepEqual(
      api.calls.map(({ verb }) => verb),
      ['update', 'update', 'update'],
    );
    const { priority, timeoutMs } = api.calls[0]?.options ?? {};
    assert.deepEqual([priority, timeoutMs], ['heartbeat', 10_000]);
    assert.equal(peek()?.spec?.renewTime, '2026-01-02T03:04:35.000000Z');
    await end();
  });

  it('rests up to 4 percent longer', async () => {
    const { clock, api, end } = setUp({ random: 1 });
    await clock.settle();
    await clock.advance(10_399);
    assert.equal(api.callsTo({ verb: 'update' }).length, 0);
    await clock.advance(1);
    assert.equal(api.callsTo({ verb: 'update' }).length, 1);
    await end();
  });

  it('takes over a lease that is there, gives it an owner and renews it at once', async () => {
    const clock = new FakeClock();
    const api = new MemoryApiServer({ clock });
    api.put(NODES, { metadata: { name: 'n', uid: 'node-uid' } });
    api.put(LEASES, {
      metadata: { name: 'n', namespace: 'kube-node-lease', labels: { kept: 'yes' } },
      spec: { holderIdentity: 'x' },
    });
    const stop = new AbortController();
    const running = new NodeLease({
      api,
      clock,
      logger: new RecordingLogger(),
      random: () => 0,
      nodeName: 'n',
      durationSeconds: 40,
      timeoutMs: 10_000,
    }).run(stop.signal);
    await clock.settle();
    const lease = api.peek<Lease>(LEASES, 'n', 'kube-node-lease');
    assert.equal(lease?.metadata.ownerReferences?.[0]?.uid, 'node-uid');
    assert.deepEqual(lease?.metadata.labels, { kept: 'yes' });
    assert.equal(lease?.spec?.holderIdentity, 'n');
    stop.abort();
    await running;
  });

  it('without a node no lease is made, and one is when the node has come', async () => {
    const { clock, api, peek, end } = setUp({ withNode: false });
    await clock.advance(9_999);
    assert.equal(api.callsTo({ verb: 'create' }).length, 0);
    api.put(NODES, { metadata: { name: 'n' } });
    await clock.advance(1);
    assert.ok(peek());
    await end();
  });

  it('after a conflict it reads and updates again in the same turn', async () => {
    const { clock, api, peek, end } = setUp();
    await clock.settle();
    api.put(LEASES, { ...peek(), spec: { holderIdentity: 'thief' } });
    api.forgetCalls();
    await clock.advance(10_000);
    assert.deepEqual(
      api.calls.map(({ verb }) => verb),
      ['update', 'get', 'update'],
    );
    assert.equal(peek()?.spec?.holderIdentity, 'n');
    await end();
  });

  it('tries five times at once, reports repeated failures, then starts over with a read', async () => {
    const { clock, api, peek, end, repeated } = setUp();
    await clock.settle();
    api.forgetCalls();
    api.fail({ verb: 'update' }, 'unavailable', 5);
    await clock.advance(10_000);
    assert.deepEqual(
      api.calls.map(({ verb }) => verb),
      ['update', 'update', 'update', 'update', 'update', 'get', 'update'],
    );
    assert.equal(repeated(), 4);
    assert.equal(peek()?.spec?.renewTime, '2026-01-02T03:04:15.000000Z');
    await end();
  });

  it('backs off while the API server cannot be reached, and is back soon after it', async () => {
    const { clock, api, lease, end } = setUp();
    await clock.settle();
    const lastMs = lease.renewedAtMs;
    api.forgetCalls();
    api.unreachable = true;
    await clock.advance(10_000);
    // 200, 400, 800, 1600, 3200, 6400, 7000, 7000, … ms apart.
    const tries = api.callsTo({ verb: 'get' }).length;
    await clock.advance(6_200);
    assert.equal(api.callsTo({ verb: 'get' }).length, tries + 5);
    await clock.advance(60_000);
    assert.ok(api.callsTo({ verb: 'get' }).length - tries <= 5 + 10);
    assert.equal(lease.renewedAtMs, lastMs);
    api.unreachable = false;
    await clock.advance(7_000);
    assert.ok((lease.renewedAtMs ?? 0) > clock.steady() - 7_000);
    await end();
  });

  it('a lease deleted with its node is made again for the next node', async () => {
    const { clock, api, peek, end } = setUp();
    await clock.settle();
    api.remove(NODES, 'n');
    api.remove(LEASES, 'n', 'kube-node-lease');
    await clock.advance(10_000);
    assert.equal(peek(), undefined);
    api.put(NODES, { metadata: { name: 'n', uid: 'second' } });
    await clock.advance(10_000);
    assert.equal(peek()?.metadata.ownerReferences?.[0]?.uid, 'second');
    await end();
  });

  it('stops in the middle of a call that hangs', async () => {
    const { clock, api, end } = setUp();
    await clock.settle();
    api.hang({ verb: 'update' });
    await clock.advance(10_000);
    await end();
  });
});
