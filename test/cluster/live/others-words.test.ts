/** What others write into a pod's status: the kubelet leaves it there, whatever it writes itself. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../src/core/api/pod.ts';
import { PODS } from '../../../src/ports/cluster/api-resource.ts';
import { NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { sleeper } from './sample-objects.ts';

const DISRUPTION = 'DisruptionTarget';

describe('the status of a pod', NEEDS_CLUSTER, () => {
  it('keeps what an eviction through the API says, until the pod is gone', () =>
    withCluster(async (cluster, namespace) => {
      const { api } = cluster;
      const stubborn = ['/bin/sh', '-c', 'trap "" TERM; while :; do sleep 1; done'];
      await cluster.apply(namespace, sleeper('victim', { fields: { command: stubborn } }));
      const [pod] = await waitForReadyPods(cluster, namespace, 1);
      const versions: Pod[] = [];
      let isGone = false;
      const stop = new AbortController();
      const following = api.follow<Pod>({ resource: PODS, namespace }).run(stop.signal, {
        onReplace: (pods) => void versions.push(...pods),
        onEvent: (type, version) => {
          versions.push(version);
          isGone = type === 'DELETED';
        },
      });
      try {
        await waitFor('the pod in the watch', () => versions.length > 0);
        await api.createSubresource({ resource: PODS, namespace, name: 'victim' }, 'eviction', {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'victim', namespace },
        });
        await waitFor('the end of the pod', () => isGone, 60_000);
      } finally {
        stop.abort();
        await following;
      }
      const reasons = versions.map(
        ({ status }) => status?.conditions?.find(({ type }) => type === DISRUPTION)?.reason,
      );
      const first = reasons.findIndex((reason) => reason !== undefined);
      assert.ok(first > 0, 'the eviction was seen');
      assert.ok(reasons.length > first + 1, 'the kubelet wrote after it');
      assert.deepEqual([...new Set(reasons.slice(first))], ['EvictionByEvictionAPI']);
      assert.equal(versions.at(-1)?.metadata.uid, pod?.metadata.uid);
      assert.equal(versions.at(-1)?.status?.phase, 'Failed');
    }));
});
