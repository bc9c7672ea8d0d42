/** Statistics from the files of cgroup v2: what `/stats/summary` has only there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Summary } from '../../../src/core/stats/summary.ts';
import { IS_UNIFIED } from '../../integration/cgroup-paths.ts';
import { type TestNode, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';

async function readSummary(node: TestNode): Promise<Summary> {
  const response = await fetch(`http://127.0.0.1:${node.kubelet.readOnlyPort}/stats/summary`);
  assert.equal(response.status, 200);
  return (await response.json()) as Summary;
}

describe('pressure in /stats/summary', { skip: !IS_UNIFIED && 'this machine has cgroup v1' }, () => {
  it('is that of the node, of a pod held back by its limit, and of its container', () =>
    withNode({}, async (node) => {
      const resources = { limits: { cpu: '50m', memory: '32Mi' } };
      const busy = container('busy', ['sh', '-c', 'while :; do :; done'], { resources });
      await node.writeManifest(
        'held.json',
        samplePod('held', { terminationGracePeriodSeconds: 0, containers: [busy] }),
      );
      await node.waitReady('held');
      const pod = await node.waitFor(
        'pressure on the CPU',
        async () => {
          const { pods } = await readSummary(node);
          const found = pods.find(({ podRef }) => podRef.name === node.podName('held'));
          const isHeld = (found?.cpu?.psi?.some.total ?? 0) > 0;
          return isHeld && (found?.containers[0]?.cpu?.psi?.some.total ?? 0) > 0 ? found : undefined;
        },
        60_000,
      );
      const [inside] = pod.containers;
      for (const stats of [pod, inside, (await readSummary(node)).node]) {
        assert.ok(stats?.memory?.psi !== undefined && stats.io?.psi !== undefined, JSON.stringify(stats));
        assert.ok((stats.memory.workingSetBytes ?? 0) > 0, JSON.stringify(stats.memory));
        assert.ok((stats.cpu?.usageCoreNanoSeconds ?? 0) > 0, JSON.stringify(stats.cpu));
      }
      assert.ok((inside?.memory?.rssBytes ?? 0) > 0, JSON.stringify(inside));
    }));
});
