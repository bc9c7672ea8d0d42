import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { RUNTIME_CLASSES } from '../../../ports/cluster/api-resource.ts';
import { RuntimeClassList } from './runtime-class-list.ts';

function setUp(remembered?: Record<string, string>) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  api.put(RUNTIME_CLASSES, { metadata: { name: 'gvisor' }, handler: 'runsc' });
  const classes = new RuntimeClassList({ api, clock, readRemembered: () => remembered });
  const stop = new AbortController();
  let running = Promise.resolve();
  const start = (): void => {
    running = classes.run(stop.signal);
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };
  return { clock, api, classes, start, end };
}

describe('RuntimeClassList', () => {
  it('returns the handler of a class, and reports a missing class', async () => {
    const { clock, api, classes, start, end } = setUp();
    start();
    await clock.settle();
    assert.deepEqual(await classes.handler('gvisor'), { kind: 'found', handler: 'runsc' });
    const message = 'runtimeclass.node.k8s.io "kata" not found';
    assert.deepEqual(await classes.handler('kata'), { kind: 'failed', message });
    api.put(RUNTIME_CLASSES, { metadata: { name: 'kata' }, handler: 'kata-qemu' });
    api.remove(RUNTIME_CLASSES, 'gvisor');
    await clock.settle();
    assert.deepEqual(await classes.handler('kata'), { kind: 'found', handler: 'kata-qemu' });
    assert.deepEqual(classes.handlers(), { kata: 'kata-qemu' });
    await end();
  });

  it('lets those wait who ask before the first list', async () => {
    const { clock, classes, start, end } = setUp();
    const asked = classes.handler('gvisor');
    start();
    await clock.settle();
    assert.deepEqual(await asked, { kind: 'found', handler: 'runsc' });
    await end();
  });

  it('does not let them wait forever, and knows what an earlier run knew', async () => {
    const { clock, api, classes, start, end } = setUp({ gvisor: 'old' });
    api.unreachable = true;
    start();
    const [known, unknown] = [classes.handler('gvisor'), classes.handler('kata')];
    await clock.advance(1_000);
    assert.deepEqual(await known, { kind: 'found', handler: 'old' });
    assert.match(JSON.stringify(await unknown), /failed to lookup RuntimeClass kata: /);
    assert.equal(classes.handlers(), undefined);
    await end();
  });
});
