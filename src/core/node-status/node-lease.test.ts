import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toNewLease, toRenewedLease } from './node-lease.ts';

const SETTINGS = { nodeName: 'n', durationSeconds: 40 };
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };

describe('toNewLease', () => {
  it('is owned by the node and has holder, duration and time', () => {
    assert.deepEqual(toNewLease(SETTINGS, 'u', NOW_MS), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'n', namespace: 'kube-node-lease', ownerReferences: [OWNER] },
      spec: { holderIdentity: 'n', leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.678000Z' },
    });
  });
});

describe('toRenewedLease', () => {
  it('moves the time, asserts holder and duration, keeps the rest', () => {
    const old = {
      ...toNewLease({ ...SETTINGS, durationSeconds: 10 }, 'u', 0),
      extra: 'kept',
    };
    const renewed = toRenewedLease(old, SETTINGS, 'other', NOW_MS);
    assert.deepEqual(renewed.metadata.ownerReferences, [OWNER]);
    assert.equal(renewed.spec?.leaseDurationSeconds, 40);
    assert.equal(renewed.spec?.renewTime, '2026-01-02T03:04:05.678000Z');
    assert.equal((renewed as typeof old).extra, 'kept');
  });

  it('gives an owner to a lease without one', () => {
    const bare = { metadata: { name: 'n', namespace: 'kube-node-lease', ownerReferences: [] } };
    assert.deepEqual(toRenewedLease(bare, SETTINGS, 'u', NOW_MS).metadata.ownerReferences, [OWNER]);
  });
});
