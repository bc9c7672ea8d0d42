/**
 * What a node reports to its cluster about its runtime, from real
 * containerd to the Node object of an API server in this process.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NodeStatus } from '../../src/core/api/node.ts';
import { type ClusterNode, withClusterNode } from './cluster-node.ts';
import { containerdEndpoint } from './node.ts';
import { isAble } from './runtime-abilities.ts';

/** The status once the node has reported its runtime. */
function waitForStatus(cluster: ClusterNode): Promise<NodeStatus> {
  return cluster.node.waitFor(
    'the status of the node',
    () => {
      const status = cluster.nodeStatus();
      return status.nodeInfo?.containerRuntimeVersion ? status : undefined;
    },
    60_000,
  );
}

describe('the Node object', () => {
  it('reports what each handler of the runtime supports', (t) =>
    withClusterNode({}, async (cluster) => {
      if (!(await isAble(t, cluster.node, 'userNamespaces'))) return;
      const { runtimeHandlers, features } = await waitForStatus(cluster);
      const able = { recursiveReadOnlyMounts: true, userNamespaces: true };
      assert.deepEqual(runtimeHandlers, [
        { name: '', features: able },
        { name: 'runc', features: able },
      ]);
      assert.deepEqual(features, { supplementalGroupsPolicy: true });
    }));

  it('claims nothing of a runtime that does not say', () =>
    withClusterNode({ endpoint: containerdEndpoint('1.6') }, async (cluster) => {
      const { runtimeHandlers, features } = await waitForStatus(cluster);
      assert.deepEqual(runtimeHandlers ?? [], []);
      assert.deepEqual(features, { supplementalGroupsPolicy: false });
    }));
});
