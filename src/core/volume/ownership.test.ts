import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSecurityContext } from '../api/pod.ts';
import { computeGroupMode, isSettled, type Ownership, toOwnership } from './ownership.ts';

describe('toOwnership', () => {
  const own = (securityContext: PodSecurityContext, honours?: boolean) =>
    toOwnership(samplePod({ securityContext }), true, honours);

  it('is none without a group', () => assert.equal(own({ runAsGroup: 5 }), undefined));

  it('has the policy only where the kind of volume honours it', () => {
    const asked = { fsGroup: 0, fsGroupChangePolicy: 'OnRootMismatch' } as const;
    assert.deepEqual(own(asked), { fsGroup: 0, readOnly: true, policy: 'Always' });
    assert.equal(own(asked, true)?.policy, 'OnRootMismatch');
    assert.equal(own({ fsGroup: 5 }, true)?.policy, 'Always');
  });
});

describe('computeGroupMode', () => {
  const cases: [mode: number, isDirectory: boolean, readOnly: boolean, expected: number][] = [
    [0o100600, false, false, 0o660],
    [0o100600, false, true, 0o640],
    [0o100000, false, true, 0o440],
    [0o100755, false, false, 0o775],
    [0o040700, true, false, 0o2770],
    [0o040000, true, true, 0o2550],
    [0o041777, true, false, 0o3777],
  ];
  for (const [mode, isDirectory, readOnly, expected] of cases) {
    it(`turns ${mode.toString(8)} into ${expected.toString(8)}${readOnly ? ' for reading' : ''}`, () =>
      assert.equal(computeGroupMode(mode, isDirectory, readOnly), expected));
  }
});

describe('isSettled', () => {
  const wanted: Ownership = { fsGroup: 5, readOnly: false, policy: 'OnRootMismatch' };
  const root = { gid: 5, mode: 0o42770, isDirectory: true };

  it('is shown by a root with group, access and the inherit bit', () => {
    assert.ok(isSettled(root, wanted));
    assert.ok(isSettled({ ...root, mode: 0o42550 }, { ...wanted, readOnly: true }));
  });

  it('is not shown by a root that lacks any of them, nor without the policy', () => {
    assert.ok(!isSettled({ ...root, gid: 6 }, wanted));
    assert.ok(!isSettled({ ...root, mode: 0o40770 }, wanted));
    assert.ok(!isSettled({ ...root, mode: 0o42750 }, wanted));
    assert.ok(!isSettled({ ...root, isDirectory: false }, wanted));
    assert.ok(!isSettled(root, { ...wanted, policy: 'Always' }));
  });
});
