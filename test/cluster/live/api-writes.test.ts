/** The API server is shared by all nodes: what a pod costs it may not creep up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEEDS_CLUSTER, withCluster } from './cluster.ts';
import { measurePodWrites, renderPerPod } from './pod-writes.ts';

const PODS = 5;
/** Upstream's on the same cluster: 7 to start a pod, 4.4 to stop it. */
const MAX_PER_POD = { start: 7, stop: 4.4 };

describe('writes to the API server', NEEDS_CLUSTER, () => {
  it('are not more than those of the upstream kubelet for the start and stop of a pod', (t) =>
    withCluster(async (cluster, namespace) => {
      const { start, stop } = await measurePodWrites(cluster, namespace, PODS);
      t.diagnostic(`start: ${renderPerPod(start, PODS)}`);
      t.diagnostic(`stop: ${renderPerPod(stop, PODS)}`);
      assert.ok(start.length > 0 && stop.length > 0, 'the audit log has the writes of the node');
      assert.ok(start.length / PODS <= MAX_PER_POD.start, renderPerPod(start, PODS));
      assert.ok(stop.length / PODS <= MAX_PER_POD.stop, renderPerPod(stop, PODS));
    }));
});
