import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasCode } from '../../src/base/errors.ts';
import { NODES, PODS } from '../../src/ports/cluster/api-resource.ts';
import { type ApiObject, apiStatusOf } from '../../src/ports/cluster/api-server.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryApiServer } from './memory-api-server.ts';

const NODE = { resource: NODES, name: 'a' };
const node = (labels = {}): object => ({ metadata: { name: 'a', labels }, spec: {}, status: { x: 1 } });

function setUp() {
  const clock = new FakeClock();
  return { clock, api: new MemoryApiServer({ clock }) };
}

describe('MemoryApiServer', () => {
  it('put, peek and remove act without counting as calls', async () => {
    const { api } = setUp();
    const first = api.put<ApiObject>(NODES, node());
    const second = api.put<ApiObject>(NODES, node({ zone: 'z' }));
    assert.equal(second.metadata.uid, first.metadata.uid);
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    assert.equal(api.peek<ApiObject>(NODES, 'a')?.metadata.uid, first.metadata.uid);
    api.remove(NODES, 'a');
    assert.equal(api.peek(NODES, 'a'), undefined);
    assert.equal(await api.get(NODE), undefined);
    assert.deepEqual(
      api.calls.map(({ verb }) => verb),
      ['get'],
    );
  });

  it('fail refuses the given number of times, only what matches, with the answer of a server', async () => {
    const { api } = setUp();
    api.put(NODES, node());
    api.fail({ verb: 'patch', subresource: 'status' }, 'conflict', 2);
    const patch = (): Promise<unknown> =>
      api.patch(NODE, { status: { x: 2 } }, { kind: 'strategic', subresource: 'status' });
    for (const _ of [1, 2])
      await assert.rejects(patch, (error) => hasCode(error, 'conflict') && apiStatusOf(error)?.code === 409);
    assert.ok(await api.get(NODE));
    await patch();
    assert.deepEqual(api.peek<{ status: object }>(NODES, 'a')?.status, { x: 2 });
    assert.equal(api.callsTo({ verb: 'patch' }).length, 3);
  });

  it('hang ends with the time limit of the call or with its signal', async () => {
    const { api, clock } = setUp();
    api.hang({ verb: 'get' }, 2);
    const limited = api.get(NODE, { timeoutMs: 10_000 });
    await assert.rejects(clock.finish(limited), (error) => hasCode(error, 'deadline-exceeded'));
    const stop = new AbortController();
    const cancelled = api.get(NODE, { signal: stop.signal });
    stop.abort();
    await assert.rejects(cancelled, (error) => hasCode(error, 'cancelled'));
  });

  it('follow delivers what others change', async () => {
    const { api, clock } = setUp();
    const stop = new AbortController();
    const seen: string[] = [];
    const running = api
      .follow<ApiObject>({ resource: PODS, fieldSelector: 'spec.nodeName=a' })
      .run(stop.signal, {
        onReplace: (items) => void seen.push(`list ${items.length}`),
        onEvent: (type, { metadata }) => void seen.push(`${type} ${metadata.name}`),
      });
    await clock.settle();
    api.put(PODS, { metadata: { name: 'p', namespace: 'd' }, spec: { nodeName: 'a' } });
    api.put(PODS, { metadata: { name: 'q', namespace: 'd' }, spec: { nodeName: 'b' } });
    await clock.settle();
    api.remove(PODS, 'p', 'd');
    await clock.settle();
    assert.deepEqual(seen, ['list 0', 'ADDED p', 'DELETED p']);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
});
