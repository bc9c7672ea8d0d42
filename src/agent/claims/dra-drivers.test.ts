import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError } from '../../base/errors.ts';
import type { DraDriver } from '../../ports/devices/dra-driver.ts';
import { DraDrivers } from './dra-drivers.ts';

class Setup {
  readonly clock = new FakeClock();
  readonly gone: string[] = [];
  readonly backs: AbortSignal[] = [];

  tries = 0;
  isReachable = false;
  /** Reports of connections, in the order in which endpoints registered. */
  readonly connections: ((isConnected: boolean) => void)[] = [];
  readonly made: DraDriver[] = [];
  readonly drivers = new DraDrivers({
    connector: {
      connect: (_name, _endpoint, _service, onConnection) => {
        const driver = {
          close: async () => {},
          reach: async () => {
            this.tries++;
            if (!this.isReachable) throw new AgentError('unavailable', 'no such socket');
            onConnection(true);
          },
        } as unknown as DraDriver;
        this.connections.push(onConnection);
        this.made.push(driver);
        return driver;
      },
    },
    clock: this.clock,
    onGone: (name, isBack) => {
      this.gone.push(name);
      this.backs.push(isBack);
    },
    onRegistered: () => {},
  });

  /** Which of the endpoints is called. */
  get called(): number {
    const driver = this.drivers.find('x.io');
    return driver === undefined ? -1 : this.made.indexOf(driver);
  }

  register(endpoint: string): Promise<void> {
    return this.drivers.register(announce(endpoint));
  }
}

const announce = (endpoint: string) => ({
  name: 'x.io',
  endpoint,
  supportedVersions: ['v1.DRAPlugin'],
});

describe('DraDrivers with several endpoints', () => {
  it('calls the newest that is connected, and the newest when none is', async () => {
    const setup = new Setup();
    for (const endpoint of ['/a', '/b', '/c']) await setup.register(endpoint);
    const [a, b, c] = setup.connections;
    assert.equal(setup.called, 2);
    c?.(false);
    assert.equal(setup.called, 1);
    b?.(false);
    assert.equal(setup.called, 0);
    a?.(false);
    assert.equal(setup.called, 2);
    b?.(true);
    assert.equal(setup.called, 1);
    setup.drivers.close();
  });

  it('is gone only when none of them is connected', async () => {
    const setup = new Setup();
    for (const endpoint of ['/a', '/b']) await setup.register(endpoint);
    const [a, b] = setup.connections;
    b?.(false);
    await setup.clock.advance(60_000);
    assert.deepEqual(setup.gone, []);
    a?.(false);
    await setup.clock.advance(20_000);
    a?.(true);
    await setup.clock.advance(60_000);
    assert.deepEqual(setup.gone, []);
    await setup.drivers.deregister(announce('/a'));
    await setup.clock.advance(30_000);
    assert.deepEqual(setup.gone, ['x.io']);
    setup.drivers.close();
  });

  it('the connection of an endpoint that was removed says nothing of its successor', async () => {
    const setup = new Setup();
    await setup.register('/a');
    await setup.drivers.deregister(announce('/a'));
    await setup.register('/a');
    setup.connections[0]?.(false);
    await setup.clock.advance(60_000);
    assert.deepEqual(setup.gone, []);
    setup.drivers.close();
    assert.equal(setup.clock.pendingTimers, 0);
  });
});

describe('DraDrivers that were gone', () => {
  it('are not taken for gone any more once they are back, or the agent stops', async () => {
    const setup = new Setup();
    for (let count = 0; count < 2; count++) {
      await setup.register('/a');
      await setup.drivers.deregister(announce('/a'));
      await setup.clock.advance(30_000);
    }
    assert.deepEqual(
      setup.backs.map(({ aborted }) => aborted),
      [true, false],
    );
    setup.drivers.close();
    assert.equal(setup.backs[1]?.aborted, true);
  });
});

describe('DraDrivers without a call', () => {
  it('keep their slices when only the connection was lost', async () => {
    const setup = new Setup();
    setup.isReachable = true;
    await setup.register('/a');
    setup.connections[0]?.(false);
    await setup.clock.advance(60_000);
    assert.deepEqual([setup.gone, setup.tries], [[], 2]);
    setup.drivers.close();
    assert.equal(setup.clock.pendingTimers, 0);
  });

  it('are tried for until they answer, and are gone after half a minute without an answer', async () => {
    const setup = new Setup();
    setup.isReachable = true;
    await setup.register('/a');
    setup.isReachable = false;
    setup.connections[0]?.(false);
    await setup.clock.advance(29_999);
    assert.deepEqual(setup.gone, []);
    await setup.clock.advance(1);
    assert.deepEqual(setup.gone, ['x.io']);
    setup.isReachable = true;
    await setup.clock.advance(5_000);
    const { tries } = setup;
    await setup.clock.advance(60_000);
    assert.equal(setup.tries, tries, 'a connection that stands is left alone');
    setup.connections[0]?.(false);
    setup.drivers.close();
    await setup.clock.advance(60_000);
    assert.deepEqual([setup.gone, setup.clock.pendingTimers], [['x.io'], 0]);
  });
});
