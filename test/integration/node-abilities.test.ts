/**
 * What a node reports to its cluster about its runtime, from real
 * containerd to the Node object of an API server in this process.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { NodeStatus } from '../../src/core/api/node.ts';
import { toCollection } from '../fakes/fake-api-path.ts';
import { FakeApiServer } from '../fakes/fake-api-server.ts';
import { type ContainerdVersion, containerdEndpoint, type TestNode, withNode } from './node.ts';
import { isAble } from './runtime-abilities.ts';

const NODES = toCollection('', 'v1', 'nodes');

/** Runs `body` on a node of a cluster whose API server is a fake. */
async function withClusterNode(
  version: ContainerdVersion,
  body: (node: TestNode, api: FakeApiServer) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-api-'));
  const api = new FakeApiServer();
  await api.start();
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: api.url } }],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: {} }],
        'current-context': 'c',
      }),
    );
    const options = { endpoint: containerdEndpoint(version), flags: [`--kubeconfig=${kubeconfig}`] };
    await withNode(options, (node) => body(node, api));
  } finally {
    await api.stop();
    await rm(directory, { recursive: true });
  }
}

/** The status once the node has reported its runtime. */
function waitForStatus(node: TestNode, api: FakeApiServer): Promise<NodeStatus> {
  return node.waitFor(
    'the status of the node',
    () => {
      const { status } = api.store.get(NODES, node.name) as { status?: NodeStatus };
      return status?.nodeInfo?.containerRuntimeVersion ? status : undefined;
    },
    60_000,
  );
}

describe('the Node object', () => {
  it('reports what each handler of the runtime supports', { timeout: 120_000 }, (t) =>
    withClusterNode('2.1', async (node, api) => {
      if (!(await isAble(t, node, 'userNamespaces'))) return;
      const { runtimeHandlers, features } = await waitForStatus(node, api);
      const able = { recursiveReadOnlyMounts: true, userNamespaces: true };
      assert.deepEqual(runtimeHandlers, [
        { name: '', features: able },
        { name: 'runc', features: able },
      ]);
      assert.deepEqual(features, { supplementalGroupsPolicy: true });
    }),
  );

  it('claims nothing of a runtime that does not say', { timeout: 120_000 }, () =>
    withClusterNode('1.6', async (node, api) => {
      const { runtimeHandlers, features } = await waitForStatus(node, api);
      assert.deepEqual(runtimeHandlers ?? [], []);
      assert.deepEqual(features, { supplementalGroupsPolicy: false });
    }),
  );
});
