import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../api/pod.ts';
import type { TerminationCause } from '../model/termination.ts';
import { withDeletion } from './with-deletion.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u' },
  spec: { containers: [], terminationGracePeriodSeconds: 30 },
};

describe('withDeletion', () => {
  const marked = (cause: TerminationCause): Pod => withDeletion(pod, { cause, requestedAtMs: 1_000 });

  it('marks a pod that goes for good with the time its grace is over', () => {
    for (const cause of ['deleted', 'removed', 'orphaned'] as const) {
      const { deletionTimestamp, deletionGracePeriodSeconds } = marked(cause).metadata;
      assert.deepEqual([deletionTimestamp, deletionGracePeriodSeconds], ['1970-01-01T00:00:31Z', 30]);
    }
    const short = withDeletion(pod, { cause: 'removed', requestedAtMs: 1_000, graceSeconds: 1 });
    assert.equal(short.metadata.deletionTimestamp, '1970-01-01T00:00:02Z');
  });

  it('leaves a pod alone that stays listed when it has ended, and the mark of the API server', () => {
    for (const cause of ['completed', 'rejected', 'deadline', 'evicted'] as const)
      assert.equal(marked(cause), pod);
    const deleted = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    assert.equal(withDeletion(deleted, { cause: 'deleted', requestedAtMs: 1_000 }), deleted);
  });
});
