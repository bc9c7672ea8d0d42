import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, observe, sandbox } from '../../../test/samples/sample-pods.ts';
import {
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  TERMINATION_GRACE_ANNOTATION,
} from '../model/container-labels.ts';
import { toOrphan } from './orphan.ts';

const withGrace = (name: string, seconds: string) => ({
  ...instance(name, 'running'),
  annotations: { [TERMINATION_GRACE_ANNOTATION]: seconds },
});

describe('toOrphan', () => {
  it('names the pod and each of its containers once', () => {
    const box = sandbox({ annotations: { 'kubernetes.io/config.source': 'file' } });
    assert.deepEqual(toOrphan(observe([instance('a', 'running'), exited('a', 1), exited('b', 0)], [box])), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default', uid: 'uid-1', annotations: box.annotations },
      spec: { containers: [{ name: 'a' }, { name: 'b' }] },
    });
  });

  it('takes the longest grace any container was made with', () => {
    const pod = toOrphan(observe([withGrace('a', '10'), withGrace('b', '40'), withGrace('c', 'broken')]));
    assert.equal(pod?.spec.terminationGracePeriodSeconds, 40);
  });

  it('reads the name off a container when there is no sandbox', () => {
    const labels = { [POD_NAME_LABEL]: 'lost', [POD_NAMESPACE_LABEL]: 'ns' };
    const { metadata } = toOrphan(observe([{ ...instance('a', 'running'), labels }], [])) ?? {};
    assert.deepEqual([metadata?.name, metadata?.namespace], ['lost', 'ns']);
  });

  it('is undefined when no label names the pod', () => {
    assert.equal(toOrphan(observe([instance('a', 'running')], [])), undefined);
    assert.equal(toOrphan(observe([], [])), undefined);
  });

  it('is undefined when the names that paths are built from are invalid', () => {
    for (const name of ['', '..', '../x', 'a/b', 'a b']) {
      assert.equal(toOrphan(observe([], [sandbox({ podName: name })])), undefined);
      assert.equal(toOrphan(observe([], [sandbox({ podNamespace: name })])), undefined);
    }
  });
});
