import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeCsiDriver } from '../../../test/fakes/fake-csi-driver.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import type { CsiNodeInfo } from '../../core/volume/csi/csi-node.ts';
import { CsiAllocatable } from './csi-allocatable.ts';
import { CsiDrivers } from './csi-drivers.ts';

async function start() {
  const server = await FakeCsiDriver.start();
  const clock = new FakeClock();
  const drivers = new CsiDrivers(clock);
  drivers.put('drv.test', { endpoint: server.socketPath, version: { text: '1.0', numbers: [1, 0] } });
  const specs = new Map<string, CsiDriverSpec>();
  const listeners = new Set<() => void>();
  const shown: number[] = [];
  let wake: () => void = () => {};
  const stop = new AbortController();
  const allocatable = new CsiAllocatable({
    drivers,
    driverObjects: {
      peek: (name) => specs.get(name),
      subscribe: (listener) => {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
    record: {
      add: async ({ maxVolumes }: CsiNodeInfo) => {
        shown.push(maxVolumes);
        wake();
      },
    },
    clock,
    logger: new RecordingLogger(),
  });
  const running = allocatable.run(stop.signal);
  return {
    server,
    clock,
    drivers,
    shown,
    look: () => allocatable.look(),
    refresh: () => allocatable.refresh('drv.test'),
    setPeriod: (seconds: number) => {
      specs.set('drv.test', { nodeAllocatableUpdatePeriodSeconds: seconds });
      for (const listener of listeners) listener();
    },
    seen: async (count: number) => {
      while (shown.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await server[Symbol.asyncDispose]();
      assert.equal(clock.pendingTimers + listeners.size, 0, 'something is left');
    },
  };
}

describe('CsiAllocatable', () => {
  it('asks drivers with an update period periodically', async () => {
    await using world = await start();
    await world.clock.advance(3_600_000);
    assert.deepEqual(world.shown, [], 'not without a period');
    world.setPeriod(20);
    for (const count of [1, 2]) {
      world.server.info = { nodeId: 'n', maxVolumesPerNode: count * 10 };
      await world.clock.advance(20_000);
      await world.seen(count);
      await world.clock.settle();
    }
    assert.deepEqual(world.shown, [10, 20]);
  });

  it('asks at once when the node turns out to be full', async () => {
    await using world = await start();
    world.server.info = { nodeId: 'n', maxVolumesPerNode: 3 };
    await world.refresh();
    assert.deepEqual(world.shown, [3]);
    world.drivers.delete('drv.test');
    await world.refresh();
    assert.deepEqual(world.shown, [3]);
  });

  it('stops asking a driver that is gone', async () => {
    await using world = await start();
    world.setPeriod(20);
    world.drivers.delete('drv.test');
    world.look();
    await world.clock.advance(60_000);
    assert.deepEqual(world.shown, []);
    assert.equal(world.clock.pendingTimers, 0);
  });
});
