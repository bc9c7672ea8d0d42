/**
 * The node starts while the API server is away: its pods come back from what
 * it remembers, with their ConfigMaps, Secrets, tokens and variables, and the
 * API server finds on its return that nothing had to be restarted.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '../../../src/core/api/pod.ts';
import { container } from '../../integration/sample-pods.ts';
import { ApiServerOutage } from './api-server-outage.ts';
import { type Cluster, isReady, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { Daemon } from './daemon.ts';
import { NodeRuntime } from './node-runtime.ts';
import { toMarks } from './pod-watch.ts';
import { sleeper } from './sample-objects.ts';

/** Prints what it finds at its start; bytes that are no text are counted. */
const PRINT_FOUND = [
  'echo env $FROM_MAP $FROM_SECRET $KUBERNETES_SERVICE_HOST;',
  'echo files $(cat /map/key) $(cat /secret/key) $(wc -c < /map/raw);',
  'test -s /var/run/secrets/kubernetes.io/serviceaccount/token && echo token;',
  'exec /bin/tini -- sleep infinity',
].join(' ');
const LABEL = 'kubelet-ts.test/offline';

describe('a start without the API server', NEEDS_CLUSTER, () => {
  it('brings the pods back from the checkpoint, and restarts nothing when the API server returns', (t) =>
    withCluster(async (cluster, namespace) => {
      const kubelet = Daemon.find('kubelet-cluster');
      await using runtime = new NodeRuntime(kubelet);
      await cluster.kubectl('label', 'node', cluster.nodeName, `${LABEL}=yes`);
      const checkpoints = join(kubelet.argument('--root-dir'), 'kubelet-ts');
      // Only a kubelet that has seen the label lets the pod in that asks for it.
      await waitFor('the kubelet to see the label', () =>
        readFacts(checkpoints).includes(`"${LABEL}":"yes"`),
      );
      await cluster.apply(namespace, ...needs(), needy(cluster), sleeper('stays'));
      const before = await waitForReadyPods(cluster, namespace, 2);
      await waitForCheckpoint(checkpoints, namespace);
      const logs = (): Promise<string> =>
        waitFor('all that the container says', async () => {
          const text = await cluster.kubectl('-n', namespace, 'logs', 'needy');
          return text.endsWith('token\n') && text;
        });
      const printed = await logs();
      assert.match(printed, /^env map-value secret-value \S+\nfiles map-value secret-value 3\ntoken\n$/);

      await using outage = await ApiServerOutage.begin(cluster);
      await kubelet.kill();
      let again: string | undefined;
      try {
        await runtime.destroy(namespace, 'needy', podOf(before, 'needy').metadata.uid);
        const startedAtMs = performance.now();
        kubelet.start();
        again = await waitFor('the pod to run again', () => runtime.running(namespace, 'needy'), 120_000);
        t.diagnostic(`runs again after ${Math.round(performance.now() - startedAtMs)} ms`);
        assert.notEqual(again, idOf(before, 'needy'));
        // Long enough for a clean-up of pods that seem orphaned.
        await delay(5_000);
        assert.equal(await runtime.running(namespace, 'stays'), idOf(before, 'stays'), 'left alone');
      } finally {
        if (!kubelet.isRunning) kubelet.start();
        await outage.end();
      }
      const status = await waitFor('the news of the restart', async () => {
        const found = podOf(await cluster.pods(namespace), 'needy').status?.containerStatuses?.[0];
        return found?.containerID === again && isReady(await cluster.node()) && found;
      });
      assert.equal(status.restartCount, 1);
      assert.equal(await logs(), printed, 'the second start found what the first had found');
      const after = await waitForReadyPods(cluster, namespace, 2);
      assert.deepEqual(toMarks(after)['stays'], toMarks(before)['stays']);
      await delay(2_000);
      assert.equal(await runtime.running(namespace, 'needy'), again, 'nothing restarts for the return');
      await cluster.kubectl('label', 'node', cluster.nodeName, `${LABEL}-`);
    }));

  it('ends a pod that was deleted while the kubelet was away, and leaves the others alone', () =>
    withCluster(async (cluster, namespace) => {
      const kubelet = Daemon.find('kubelet-cluster');
      await using runtime = new NodeRuntime(kubelet);
      await cluster.apply(namespace, sleeper('goes'), sleeper('stays'));
      const before = await waitForReadyPods(cluster, namespace, 2);
      await kubelet.kill();
      try {
        await cluster.kubectl('-n', namespace, 'delete', 'pod', 'goes', '--force', '--grace-period=0');
        assert.equal(await runtime.running(namespace, 'goes'), idOf(before, 'goes'));
      } finally {
        kubelet.start();
      }
      const isGone = async (): Promise<boolean> => (await runtime.running(namespace, 'goes')) === undefined;
      await waitFor('the end of the deleted pod', isGone);
      const after = toMarks(await waitForReadyPods(cluster, namespace, 1));
      assert.deepEqual(after['stays'], toMarks(before)['stays']);
    }));
});

/** Only root may look at it. */
async function waitForCheckpoint(directory: string, namespace: string): Promise<void> {
  await waitFor('the checkpoint', () => {
    const text = readFacts(directory);
    const parts = ['secret-value', '/none":{"kind":"missing"}', '"token":', `"${LABEL}":"yes"`];
    return parts.every((part) => text.includes(part));
  });
  await waitFor('the pods, all ready', () => {
    const { data } = JSON.parse(readFileSync(join(directory, 'api_pods'), 'utf8')) as {
      data: { pods: Pod[] };
    };
    const own = data.pods.filter(({ metadata }) => metadata.namespace === namespace);
    return own.length === 2 && own.every(isReady);
  });
  for (const name of ['api_facts', 'api_pods'])
    assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
  assert.equal(statSync(directory).mode & 0o777, 0o700);
}

function readFacts(directory: string): string {
  return readFileSync(join(directory, 'api_facts'), 'utf8');
}

function needs(): object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'map' },
      data: { key: 'map-value' },
      binaryData: { raw: Buffer.from([0xff, 0xfe, 0]).toString('base64') },
    },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' }, stringData: { key: 'secret-value' } },
  ];
}

/** A pod that needs everything that the API server gives, a label of the node among it. */
function needy({ nodeName }: Cluster): object {
  const env = [
    { name: 'FROM_MAP', valueFrom: { configMapKeyRef: { name: 'map', key: 'key' } } },
    { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'secret', key: 'key' } } },
    { name: 'NONE', valueFrom: { configMapKeyRef: { name: 'none', key: 'key', optional: true } } },
  ];
  const volumeMounts = [
    { name: 'map', mountPath: '/map' },
    { name: 'secret', mountPath: '/secret' },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'needy', labels: { app: 'needy' } },
    spec: {
      nodeName,
      nodeSelector: { [LABEL]: 'yes' },
      terminationGracePeriodSeconds: 5,
      containers: [container('main', ['sh', '-c', PRINT_FOUND], { env, volumeMounts })],
      volumes: [
        { name: 'map', configMap: { name: 'map' } },
        { name: 'secret', secret: { secretName: 'secret' } },
      ],
    },
  };
}

function podOf(pods: readonly Pod[], name: string): Pod {
  const found = pods.find(({ metadata }) => metadata.name === name);
  assert.ok(found, `there is no pod "${name}"`);
  return found;
}

function idOf(pods: readonly Pod[], name: string): string | undefined {
  return podOf(pods, name).status?.containerStatuses?.[0]?.containerID;
}
