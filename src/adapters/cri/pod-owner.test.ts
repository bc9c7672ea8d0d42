import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOwnedByAnother, POD_OWNER_LABEL, toOwnerLabels } from './pod-owner.ts';

describe('isOwnedByAnother', () => {
  for (const [labels, owner, expected] of [
    [{}, undefined, false],
    [{ [POD_OWNER_LABEL]: 'a' }, undefined, false],
    [undefined, 'a', false],
    [{}, 'a', true],
    [{ [POD_OWNER_LABEL]: 'b' }, 'a', true],
    [{ [POD_OWNER_LABEL]: 'a' }, 'a', false],
  ] as const)
    it(`${JSON.stringify(labels)} for ${owner}: ${expected}`, () => {
      assert.equal(isOwnedByAnother(labels, owner), expected);
    });
});

describe('toOwnerLabels', () => {
  it('marks nothing without an owner', () => {
    assert.deepEqual(toOwnerLabels(undefined), {});
    assert.deepEqual(toOwnerLabels('a'), { [POD_OWNER_LABEL]: 'a' });
  });
});
