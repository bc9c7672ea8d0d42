import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toObjectTtlMs } from './object-ttl.ts';

describe('toObjectTtlMs', () => {
  const of = (ttl: string): number =>
    toObjectTtlMs({ metadata: { name: 'n', annotations: { 'node.alpha.kubernetes.io/ttl': ttl } } });

  it('is what the node object says in seconds, also zero', () => {
    assert.deepEqual([of('300'), of('0')], [300_000, 0]);
  });

  it('is a minute when that is no number or the node is not known', () => {
    assert.deepEqual([of('-1'), of('soon'), toObjectTtlMs(undefined)], [60_000, 60_000, 60_000]);
  });
});
