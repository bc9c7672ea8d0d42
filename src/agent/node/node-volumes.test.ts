import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { Node } from '../../core/api/node.ts';
import { NodeVolumes } from './node-volumes.ts';

const NAME = 'kubernetes.io/csi/drv^1';

class FakeOwn {
  current: Node | undefined;
  readonly listeners = new Set<() => void>();

  subscribe(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  set(status: Node['status']): void {
    this.current = { metadata: { name: 'n' }, ...(status === undefined ? {} : { status }) };
    for (const listener of [...this.listeners]) listener();
  }
}

function setUp() {
  const own = new FakeOwn();
  const clock = new FakeClock();
  const volumes = new NodeVolumes({ own, clock });
  let changes = 0;
  volumes.subscribe(() => {
    changes += 1;
  });
  return { own, clock, volumes, changes: () => changes };
}

const attached = { volumesAttached: [{ name: NAME, devicePath: '' }] };

describe('NodeVolumes', () => {
  it('reports a volume from the first pod that needs it to the end of the last', () => {
    const { volumes, changes } = setUp();
    volumes.adopt([]);
    volumes.hold(NAME, 'a');
    volumes.hold(NAME, 'b');
    assert.deepEqual(volumes.inUse(), [NAME]);
    volumes.release(NAME, 'a');
    assert.deepEqual(volumes.inUse(), [NAME]);
    volumes.forgetPod('b');
    assert.deepEqual(volumes.inUse(), []);
    assert.equal(changes(), 3, 'notified of the reading, the first and the last');
  });

  it('says nothing before the disk was read, then keeps what the last report said and disk shows', () => {
    const { volumes, own } = setUp();
    own.set({ volumesInUse: [NAME, 'kubernetes.io/csi/drv^gone'] });
    volumes.hold('kubernetes.io/csi/drv^2', 'b');
    assert.equal(volumes.inUse(), undefined);
    volumes.adopt([
      [NAME, 'a'],
      ['kubernetes.io/csi/drv^never-attached', 'a'],
    ]);
    assert.deepEqual(volumes.inUse(), [NAME, 'kubernetes.io/csi/drv^2']);
    volumes.release(NAME, 'a');
    assert.deepEqual(volumes.inUse(), ['kubernetes.io/csi/drv^2']);
  });

  it('waits for the report and for the attacher, whichever comes last', async () => {
    const { volumes, own, clock } = setUp();
    const waiting = volumes.whenAttached(NAME, new AbortController().signal);
    own.set(attached);
    volumes.reported([NAME]);
    assert.equal(await waiting, true);
    assert.equal(await volumes.whenAttached(NAME, new AbortController().signal), true);
    assert.equal(clock.pendingTimers + own.listeners.size, 0, 'nothing is left waiting');
  });

  it('is not attached while the node has not said that it uses the volume', async () => {
    const { volumes, own, clock } = setUp();
    own.set(attached);
    const waiting = volumes.whenAttached(NAME, new AbortController().signal);
    await clock.advance(123_000);
    assert.equal(await waiting, false);
  });

  it('gives up with the signal', async () => {
    const { volumes, clock, own } = setUp();
    const stop = new AbortController();
    const waiting = volumes.whenAttached(NAME, stop.signal);
    stop.abort();
    assert.equal(await waiting, false);
    assert.equal(clock.pendingTimers + own.listeners.size, 0);
  });
});
