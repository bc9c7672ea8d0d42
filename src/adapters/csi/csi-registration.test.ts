import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeCsiDriver } from '../../../test/fakes/fake-csi-driver.ts';
import { AgentError } from '../../base/errors.ts';
import type { CsiNodeInfo } from '../../core/volume/csi/csi-node.ts';
import { CsiDrivers } from './csi-drivers.ts';
import { CsiRegistration } from './csi-registration.ts';

const NO_STOP = new AbortController().signal;

function setUp() {
  const drivers = new CsiDrivers(new FakeClock());
  const shown: (CsiNodeInfo | string)[] = [];
  const record = {
    add: async (info: CsiNodeInfo) => void shown.push(info),
    remove: async (driver: string) => void shown.push(`remove ${driver}`),
  };
  const ready: string[] = [];
  const registration = new CsiRegistration({
    drivers,
    record,
    onRegistered: (name) => void ready.push(name),
  });
  return { drivers, shown, record, ready, registration };
}

describe('CsiRegistration', () => {
  it('asks the driver about the node, shows it and makes it usable', async () => {
    await using server = await FakeCsiDriver.start();
    server.info = { nodeId: 'id', maxVolumesPerNode: 7, accessibleTopology: { segments: { a: 'b' } } };
    const { drivers, shown, ready, registration } = setUp();
    const plugin = { name: 'drv.test', endpoint: server.socketPath, supportedVersions: ['1.0.0'] };
    await registration.register(plugin, NO_STOP);
    assert.deepEqual(shown, [{ driver: 'drv.test', nodeId: 'id', maxVolumes: 7, topology: { a: 'b' } }]);
    assert.deepEqual(ready, ['drv.test']);
    assert.ok(drivers.client('drv.test'));
    await registration.deregister(plugin);
    assert.equal(drivers.client('drv.test'), undefined);
    assert.equal(shown.at(-1), 'remove drv.test');
  });

  it('does not use a driver that cannot be recorded in the API', async () => {
    await using server = await FakeCsiDriver.start();
    const { drivers, record, ready, registration } = setUp();
    record.add = async () => Promise.reject(new AgentError('unavailable', 'no API'));
    const plugin = { name: 'drv.test', endpoint: server.socketPath, supportedVersions: ['1.0.0'] };
    await assert.rejects(registration.register(plugin, NO_STOP), /no API/);
    assert.equal(drivers.client('drv.test'), undefined);
    assert.deepEqual(ready, []);
  });

  it('refuses versions it does not speak and a second driver of the name that is not newer', () => {
    const { drivers, registration } = setUp();
    const validate = (...supportedVersions: string[]) =>
      registration.validate({ name: 'd', endpoint: '/s', supportedVersions }) ?? '';
    assert.match(validate(), /validation failed for CSI Driver d at endpoint \/s: .*empty list/);
    assert.match(validate('0.3.0'), /None of the CSI versions/);
    assert.equal(validate('1.0.0'), '');
    drivers.put('d', { endpoint: '/other', version: { text: '1.2.0', numbers: [1, 2, 0] } });
    assert.match(validate('1.2.0'), /already registered with a higher supported version: "1.2.0"/);
    assert.equal(validate('1.3.0'), '');
  });
});
