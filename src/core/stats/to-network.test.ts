import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toNetworkStats } from './to-network.ts';

const numbers = { rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 };
const all = (...names: string[]) =>
  toNetworkStats(
    names.map((name) => ({ name, ...numbers })),
    0,
  );

describe('toNetworkStats', () => {
  it('shows eth0 beside the list', () => {
    const shown = all('lo', 'eth0', 'net1');
    assert.deepEqual(shown, {
      time: '1970-01-01T00:00:00Z',
      name: 'eth0',
      ...numbers,
      interfaces: [
        { name: 'eth0', ...numbers },
        { name: 'net1', ...numbers },
      ],
    });
  });

  it('shows only the list without eth0, and leaves out ends of cables into containers', () => {
    const shown = all('ens3', 'veth12', 'docker0', 'nerdctl0', 'lo');
    assert.deepEqual([shown?.name, shown?.rxBytes, shown?.interfaces?.length], ['', undefined, 1]);
  });

  it('is nothing without an interface', () => assert.equal(all('lo'), undefined));
});
