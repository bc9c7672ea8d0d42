import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nodesOf } from '../topology/numa-mask.ts';
import { computeDeviceHints, type DeviceHintDemand } from './device-hints.ts';

const devices = (places: Readonly<Record<string, readonly number[]>>) =>
  new Map(Object.entries(places).map(([id, numaNodes]) => [id, { id, isHealthy: true, numaNodes }]));

function hints(given: Partial<DeviceHintDemand>): string[] | undefined {
  const all = given.devices ?? devices({ a: [0], b: [0], c: [1], d: [1] });
  const demand = {
    count: 1,
    devices: all,
    free: new Set(all.keys()),
    reusable: new Set<string>(),
    nodes: [0, 1],
  };
  return computeDeviceHints({ ...demand, ...given })?.map(
    ({ nodes, preferred }) => `${nodesOf(nodes ?? 0).join('+')}${preferred ? ' preferred' : ''}`,
  );
}

describe('computeDeviceHints', () => {
  it('every set of nodes with enough free devices, the narrowest preferred', () => {
    assert.deepEqual(hints({}), ['0 preferred', '1 preferred', '0+1']);
    assert.deepEqual(hints({ count: 3 }), ['0+1 preferred']);
    assert.deepEqual(hints({ count: 2, free: new Set(['a', 'c', 'd']) }), ['1 preferred', '0+1']);
  });

  it('what is taken decides whether there is a hint, not how narrow one could be', () => {
    assert.deepEqual(hints({ count: 2, free: new Set(['a', 'c']) }), ['0+1']);
  });

  it('no hint at all when there are too few, none needed when no device says where it is', () => {
    assert.deepEqual(hints({ count: 2, free: new Set(['a']) }), []);
    assert.equal(hints({ devices: devices({ a: [], b: [] }) }), undefined);
  });

  it('a place without a device that is reused is none', () => {
    const free = new Set(['b', 'c']);
    assert.deepEqual(hints({ count: 2, reusable: new Set(['a']), free }), ['0 preferred', '0+1']);
  });

  it('a device near two nodes counts for both', () => {
    assert.deepEqual(hints({ devices: devices({ a: [0, 1] }) }), ['0 preferred', '1 preferred', '0+1']);
  });
});
