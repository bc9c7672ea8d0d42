import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Later } from '../../base/async/later.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { AdmissionRefusal } from '../../core/node/admission-facts.ts';
import type { Admission } from '../../core/node/admit-pod.ts';
import { AdmissionDesk } from './admission-desk.ts';

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'a' },
  spec: { containers: [{ name: 'main' }] },
};
const ok: Admission = { ok: true, victims: [] };
const refusal = (reason: string, more: object = {}): Admission => ({
  ok: false,
  reason,
  message: reason,
  ...more,
});

function desk(admission: Admission, assigned: Later<AdmissionRefusal | undefined>) {
  const calls: string[] = [];
  const assigner = {
    concerns: () => true,
    assign: () => {
      calls.push('assign');
      return assigned;
    },
    whenReady: () => undefined,
    settle: () => undefined,
    undo: (uid: PodUid) => void calls.push(`undo ${uid}`),
  };
  return { calls, desk: new AdmissionDesk({ admit: () => admission, assigner }) };
}

describe('AdmissionDesk', () => {
  it('assigns nothing to a pod that is refused before', () => {
    const early = refusal('Evicted', { beforeAssignment: true });
    const made = desk(early, undefined);
    assert.equal(
      made.desk.ask(pod, () => []),
      early,
    );
    assert.deepEqual(made.calls, []);
  });

  it('reports what could not be assigned rather than the lack of a place', () => {
    const made = desk(refusal('OutOfcpu'), { reason: 'TopologyAffinityError', message: 'm' });
    assert.deepEqual(
      made.desk.ask(pod, () => []),
      { ok: false, reason: 'TopologyAffinityError', message: 'm' },
    );
  });

  it('takes back what was assigned to a pod without a place', () => {
    const late = refusal('OutOfcpu');
    const made = desk(late, undefined);
    assert.equal(
      made.desk.ask(pod, () => []),
      late,
    );
    assert.deepEqual(made.calls, ['assign', 'undo a']);
  });

  it('decides at once unless the assignment waits', async () => {
    assert.equal(
      desk(ok, undefined).desk.ask(pod, () => []),
      ok,
    );
    const waiting = desk(ok, Promise.resolve(undefined)).desk.ask(pod, () => []);
    assert.ok(waiting instanceof Promise);
    assert.equal(await waiting, ok);
  });
});
