/** `kubectl top` through a real metrics server, which knows what our kubelet reports and nothing else. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { container, samplePod } from '../../integration/sample-pods.ts';
import { NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { MetricsServer } from './metrics-server.ts';

/** Of the busy container. */
const LIMIT_MILLICORES = 100;
const MEMORY_MIB = 16;
/** The metrics server needs two looks, ten seconds apart, at a pod that it knows. */
const MEASURED_MS = 120_000;

const POD = samplePod('used', {
  terminationGracePeriodSeconds: 0,
  containers: [
    container('busy', ['sh', '-c', 'while :; do :; done'], {
      resources: { limits: { cpu: `${LIMIT_MILLICORES}m`, memory: '32Mi' } },
    }),
    container('full', ['sh', '-c', `head -c ${MEMORY_MIB}m /dev/zero >/memory/file; sleep infinity`], {
      volumeMounts: [{ name: 'memory', mountPath: '/memory' }],
    }),
  ],
  volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' } }],
});

/** Rows of cells, without the titles. */
function toRows(printed: string): string[][] {
  return printed
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/));
}

describe('kubectl top', NEEDS_CLUSTER, () => {
  before(() => MetricsServer.build());

  it('shows what pods, containers and the node use', () =>
    withCluster(async (cluster, namespace) => {
      await cluster.apply(namespace, POD);
      await waitForReadyPods(cluster, namespace, 1);
      await using _ = await MetricsServer.start(cluster, namespace);
      const rows = await waitFor(
        'both containers to be measured',
        async () => {
          const found = toRows(await cluster.kubectl('-n', namespace, 'top', 'pod', '--containers'));
          return (
            found.length === 2 && found.some(([, , cpu]) => Number.parseInt(cpu ?? '', 10) > 50) && found
          );
        },
        MEASURED_MS,
      );
      const byName = new Map(rows.map(([, name = '', cpu = '', memory = '']) => [name, [cpu, memory]]));
      const [busy = ''] = byName.get('busy') ?? [];
      assert.match(busy, /^\d+m$/);
      assert.ok(Number.parseInt(busy, 10) <= LIMIT_MILLICORES * 1.3, `busy uses ${busy}`);
      const [, full = ''] = byName.get('full') ?? [];
      assert.match(full, /^\d+Mi$/);
      assert.ok(Number.parseInt(full, 10) >= MEMORY_MIB, `full uses ${full}`);
      const [node] = toRows(await cluster.kubectl('top', 'node'));
      assert.equal(node?.[0], cluster.nodeName);
      assert.match(node?.slice(1).join(' ') ?? '', /^\d+m \d+% \d+Mi \d+%$/);
    }));
});
