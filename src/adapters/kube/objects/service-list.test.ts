import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import type { ServiceLike } from '../../../core/model/environment-objects.ts';
import { SERVICES } from '../../../ports/cluster/api-resource.ts';
import { ServiceList } from './service-list.ts';

const service = (name: string, clusterIP?: string): object => ({
  metadata: { name, namespace: 'n', labels: { a: 'b' } },
  spec: {
    clusterIP,
    selector: { app: name },
    ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }, { port: 53 }],
  },
});

const kept = (name: string, clusterIP: string): object => ({
  metadata: { name, namespace: 'n' },
  spec: { clusterIP, ports: [{ name: 'http', port: 80, protocol: 'TCP' }, { port: 53 }] },
});

describe('ServiceList', () => {
  it('uses those of an earlier run until others are read, and notifies of changes', async () => {
    const clock = new FakeClock();
    const api = new MemoryApiServer({ clock });
    let remembered: ServiceLike[] | undefined;
    let changes = 0;
    const list = new ServiceList({ api, readRemembered: () => remembered, onChange: () => changes++ });
    assert.equal(list.services(), undefined);
    remembered = [kept('old', '10.0.0.9') as ServiceLike];
    assert.equal(list.services(), remembered);
    const stop = new AbortController();
    const running = list.run(stop.signal);
    await clock.settle();
    assert.deepEqual(list.services(), []);
    api.put(SERVICES, service('a', '10.0.0.1'));
    await clock.settle();
    assert.equal(changes, 2);
    stop.abort();
    await running;
  });

  it('is unknown before the first list and current after it, with what variables need and no more', async () => {
    const clock = new FakeClock();
    const api = new MemoryApiServer({ clock });
    const list = new ServiceList({ api });
    const stop = new AbortController();
    api.unreachable = true;
    const running = list.run(stop.signal);
    await clock.settle();
    assert.equal(list.services(), undefined);
    api.put(SERVICES, service('a', '10.0.0.1'));
    api.put(SERVICES, service('headless', 'None'));
    api.put(SERVICES, service('external'));
    api.unreachable = false;
    await clock.advance(10_000);
    assert.deepEqual(list.services(), [kept('a', '10.0.0.1')]);
    assert.equal(list.services(), list.services());
    api.put(SERVICES, service('b', '10.0.0.2'));
    api.put(SERVICES, service('a', '10.0.0.3'));
    await clock.settle();
    assert.deepEqual(list.services(), [kept('a', '10.0.0.3'), kept('b', '10.0.0.2')]);
    api.remove(SERVICES, 'a', 'n');
    api.put(SERVICES, service('b', 'None'));
    await clock.settle();
    assert.deepEqual(list.services(), []);
    api.put(SERVICES, service('c', '10.0.0.4'));
    api.unreachable = true;
    api.remove(SERVICES, 'c', 'n');
    api.put(SERVICES, service('d', '10.0.0.5'));
    api.store.compact();
    api.unreachable = false;
    await clock.advance(20_000);
    assert.deepEqual(list.services(), [kept('d', '10.0.0.5')]);
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  });
});
