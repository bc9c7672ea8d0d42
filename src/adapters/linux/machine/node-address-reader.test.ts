import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNodeAddresses } from './node-address-reader.ts';

const interfaces = [{ name: 'eth0', addresses: ['10.0.0.7', 'fd00::7'] }];

function read(requested: readonly string[], resolve: () => Promise<string[]>, present = interfaces) {
  return readNodeAddresses({
    nodeName: 'n',
    requested,
    proc: '/nonexistent',
    resolve,
    readInterfaces: () => present,
  });
}

describe('readNodeAddresses', () => {
  it('does not ask the resolver for a requested address', async () => {
    const resolve = () => Promise.reject(new Error('asked'));
    assert.deepEqual(await read(['10.0.0.7'], resolve), { ips: ['10.0.0.7'] });
  });

  it('an address that has left the machine is a problem', async () => {
    const { ips, problem } = await read(['10.0.0.7'], async () => [], []);
    assert.deepEqual(ips, []);
    assert.equal(
      problem,
      'failed to validate nodeIP: node IP: "10.0.0.7" not found in the host\'s network interfaces',
    );
  });

  it('prefers what the resolver says, and does without a resolver that fails', async () => {
    assert.deepEqual(await read(['::'], async () => ['10.0.0.7', 'fd00::7']), { ips: ['fd00::7'] });
    assert.deepEqual(await read([], () => Promise.reject(new Error('no'))), { ips: ['10.0.0.7'] });
  });
});
