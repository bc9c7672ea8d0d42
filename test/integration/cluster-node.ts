/**
 * A node of a cluster whose API server is a fake in this process. Only pods of
 * an API server can be evicted: those of manifests are critical.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeStatus } from '../../src/core/api/node.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import type { PodStatus } from '../../src/core/api/pod-status.ts';
import { defaultPod } from '../../src/core/manifest/default-pod.ts';
import type { JsonObject } from '../fakes/fake-api-patch.ts';
import { toCollection } from '../fakes/fake-api-path.ts';
import { FakeApiServer } from '../fakes/fake-api-server.ts';
import { type NodeOptions, type TestNode, withNode } from './node.ts';
import type { SamplePod } from './sample-pods.ts';

const NODES = toCollection('', 'v1', 'nodes');
const PODS = toCollection('', 'v1', 'pods', 'default');

export class ClusterNode {
  readonly node: TestNode;
  readonly api: FakeApiServer;

  constructor(node: TestNode, api: FakeApiServer) {
    this.node = node;
    this.api = api;
  }

  /** As API server and scheduler leave it: with the defaults, and bound to this node. */
  createPod({ metadata, spec }: SamplePod): void {
    const bound = { ...spec, nodeName: this.node.name, automountServiceAccountToken: false };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, uid: randomUUID() }, spec: bound };
    this.api.store.create(PODS, defaultPod(pod as unknown as Pod) as unknown as JsonObject);
  }

  podStatus(name: string): PodStatus {
    const { status } = this.api.store.get(PODS, name) as { status?: PodStatus };
    return status ?? {};
  }

  waitForPod(name: string, what: string, fits: (status: PodStatus) => boolean): Promise<PodStatus> {
    return this.node.waitFor(
      `pod "${name}" to be ${what}`,
      () => {
        const status = this.podStatus(name);
        return fits(status) && status;
      },
      90_000,
    );
  }

  waitRunning(name: string): Promise<PodStatus> {
    return this.waitForPod(name, 'ready', (status) =>
      (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    );
  }

  nodeStatus(): NodeStatus {
    const { status } = this.api.store.get(NODES, this.node.name) as { status?: NodeStatus };
    return status ?? {};
  }

  waitForCondition(type: string, value: 'True' | 'False'): Promise<true> {
    return this.node.waitFor(
      `the node's ${type} to be ${value}`,
      () => this.nodeStatus().conditions?.some((one) => one.type === type && one.status === value) === true,
      90_000,
    );
  }

  /** Every pod is deleted, so that the audit of what is left can begin. */
  deletePods(): void {
    for (const { metadata } of this.api.store.list(PODS))
      this.api.store.delete(PODS, metadata.name, { gracePeriodSeconds: 1 });
  }
}

/** Runs `body` on such a node; its pods are deleted afterwards, and nothing of them may be left. */
export async function withClusterNode(
  options: NodeOptions,
  body: (cluster: ClusterNode) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-api-'));
  const api = new FakeApiServer();
  await api.start();
  try {
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, JSON.stringify(toKubeconfig(api.url)));
    const flags = [...(options.flags ?? []), `--kubeconfig=${kubeconfig}`];
    await withNode({ ...options, flags }, async (node) => {
      const cluster = new ClusterNode(node, api);
      try {
        await body(cluster);
      } finally {
        cluster.deletePods();
      }
    });
    assert.deepEqual(api.store.list(PODS), [], 'pods that are still at the API server');
  } finally {
    await api.stop();
    await rm(directory, { recursive: true });
  }
}

function toKubeconfig(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'c',
  };
}
