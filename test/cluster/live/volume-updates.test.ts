/** Volumes of pods from the API server: how soon a change is seen, and claims from waiting to a second pod. */
import assert from 'node:assert/strict';
import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import type { Volume } from '../../../src/core/api/volume.ts';
import { CONFIG_MAPS, PODS, SECRETS } from '../../../src/ports/cluster/api-resource.ts';
import type { ApiResource } from '../../../src/ports/cluster/api-server.ts';
import {
  type Cluster,
  NEEDS_CLUSTER,
  requireVariable,
  waitFor,
  waitForReadyPods,
  withCluster,
} from './cluster.ts';
import { PodScribe } from './pod-scribe.ts';
import { sleeper } from './sample-objects.ts';

const COUNT = 50;
const ROUNDS = 6;
/**
 * In so many rounds all pods must show the change in time. Something else that keeps the machine busy for a
 * moment spoils a round or two; a kubelet that looks from time to time would need luck for a single one.
 */
const GOOD_ROUNDS = 3;
const LIMIT_MS = 1_000;

const VOLUMES = [
  { name: 'config', configMap: { name: 'app' } },
  { name: 'secret', secret: { secretName: 'login' } },
  {
    name: 'info',
    downwardAPI: { items: [{ path: 'key', fieldRef: { fieldPath: "metadata.annotations['key']" } }] },
  },
];
const PLACES = {
  config: 'kubernetes.io~configmap/config/key',
  secret: 'kubernetes.io~secret/secret/key',
  info: 'kubernetes.io~downward-api/info/key',
};

type Kind = keyof typeof PLACES;

function podRoot(uid: string): string {
  return join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster/kubelet/root/pods', uid, 'volumes');
}

function mounting(name: string, nodeName: string, volumes: readonly Volume[]): object {
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }));
  const pod = sleeper(name, { nodeName, fields: { volumeMounts } }) as {
    metadata: object;
    spec: object;
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { app: 'web' }, annotations: { key: '0' } },
    spec: { ...pod.spec, volumes },
  };
}

/** When the version that holds `text` was shown, once that is so. */
function shownAtMs(place: string, text: string): Promise<number> {
  return waitFor(
    `"${text}" in ${place}`,
    async () => {
      if ((await readFile(place, 'utf8')) !== text) return undefined;
      return (await lstat(join(dirname(place), '..data'))).mtimeMs;
    },
    60_000,
  );
}

describe('a change of', NEEDS_CLUSTER, () => {
  it(`a ConfigMap, a Secret or a pod is seen in ${COUNT} pods within a second`, (t) =>
    withCluster(async (cluster, namespace) => {
      const { api, nodeName } = cluster;
      await cluster.apply(
        namespace,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app' }, data: { key: '0' } },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: { key: '0' } },
        ...Array.from({ length: COUNT }, (_none, index) => mounting(`web-${index}`, nodeName, VOLUMES)),
      );
      const pods = await waitForReadyPods(cluster, namespace, COUNT, 'app=web');
      const patch = async (resource: ApiResource, name: string, body: object): Promise<number> => {
        await api.patch({ resource, namespace, name }, body, { kind: 'merge' });
        return Date.now();
      };
      await using scribe = await PodScribe.start(cluster, namespace, 'key');
      const slowest = { config: [], secret: [], info: [], scribe: [] } as Record<Kind | 'scribe', number[]>;
      for (let round = 1; round <= ROUNDS; round++) {
        const text = String(round);
        const measure = async (kind: Kind, uid: string, changedAtMs: number): Promise<number> =>
          (await shownAtMs(join(podRoot(uid), PLACES[kind]), text)) - changedAtMs;
        const take = (kind: Kind | 'scribe', delays: readonly number[]): void => {
          slowest[kind].push(Math.round(Math.max(...delays)));
        };
        const configAtMs = await patch(CONFIG_MAPS, 'app', { data: { key: text } });
        take('config', await Promise.all(pods.map((pod) => measure('config', pod.metadata.uid, configAtMs))));
        const secretAtMs = await patch(SECRETS, 'login', { stringData: { key: text } });
        take('secret', await Promise.all(pods.map((pod) => measure('secret', pod.metadata.uid, secretAtMs))));
        const both = await Promise.all(
          pods.map(async ({ metadata }) => {
            const changedAtMs = await patch(PODS, metadata.name, {
              metadata: { annotations: { key: text } },
            });
            const scribeMs = (await scribe.writtenAtMs(metadata.name, text)) - changedAtMs;
            return { infoMs: await measure('info', metadata.uid, changedAtMs), scribeMs };
          }),
        );
        take(
          'info',
          both.map(({ infoMs }) => infoMs),
        );
        take(
          'scribe',
          both.map(({ scribeMs }) => scribeMs),
        );
      }
      // So many changes at once load every process: on a busy machine a second is short for the simplest program.
      const limits = slowest.scribe.map((yardstickMs) => Math.max(LIMIT_MS, 2 * yardstickMs));
      for (const [kind, all] of Object.entries(slowest)) {
        t.diagnostic(`${kind}: the slowest of ${COUNT} in each round, ms: ${all.join(' ')}`);
        const good = all.filter((ms, round) => ms <= (limits[round] ?? LIMIT_MS)).length;
        assert.ok(
          good >= GOOD_ROUNDS,
          `${kind}: in time in ${good} of ${ROUNDS} rounds: ${all.join(' ')} ms, with ${limits.join(' ')} allowed`,
        );
      }
    }));
});

describe('a claim', NEEDS_CLUSTER, () => {
  it('is waited for, leads to its volume, and its files are there for the next pod', async () => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-claim-'));
    const volume = `live-${host.split('-').at(-1)?.toLowerCase()}`;
    try {
      await withCluster(async (cluster, namespace) => {
        try {
          await useClaim(cluster, namespace, volume, host);
        } finally {
          await cluster.kubectl('delete', 'pv', volume, '--ignore-not-found', '--wait=false');
        }
      });
      assert.equal(await readFile(join(host, 'mark'), 'utf8'), 'first\n');
    } finally {
      await rm(host, { recursive: true });
    }
  });
});

describe('a generic ephemeral volume', NEEDS_CLUSTER, () => {
  it('has a claim of its own, which goes with the pod', async () => {
    const host = await mkdtemp(join(tmpdir(), 'kubelet-claim-'));
    const volume = `live-${host.split('-').at(-1)?.toLowerCase()}`;
    try {
      await withCluster(async (cluster, namespace) => {
        try {
          await useEphemeral(cluster, namespace, volume, host);
        } finally {
          await cluster.kubectl('delete', 'pv', volume, '--ignore-not-found', '--wait=false');
        }
      });
    } finally {
      await rm(host, { recursive: true });
    }
  });
});

async function useEphemeral(
  cluster: Cluster,
  namespace: string,
  volume: string,
  path: string,
): Promise<void> {
  const storage = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  const resources = { requests: { storage: '1Mi' } };
  const volumeClaimTemplate = { spec: { ...storage, volumeName: volume, resources } };
  await cluster.apply(
    namespace,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volume },
      spec: { ...storage, capacity: { storage: '1Mi' }, hostPath: { path, type: 'Directory' } },
    },
    mounting('user', cluster.nodeName, [{ name: 'scratch', ephemeral: { volumeClaimTemplate } }]),
  );
  await waitForReadyPods(cluster, namespace, 1, 'app=web');
  await cluster.kubectl('-n', namespace, 'exec', 'user', '--', 'sh', '-c', 'echo mine >/scratch/mark');
  assert.equal(await readFile(join(path, 'mark'), 'utf8'), 'mine\n');
  await cluster.kubectl('-n', namespace, 'delete', 'pod', 'user');
  await waitFor('the claim to go', async () => {
    const claims = await cluster.kubectl('-n', namespace, 'get', 'pvc', '-o', 'name');
    return claims.trim() === '';
  });
}

async function useClaim(cluster: Cluster, namespace: string, volume: string, path: string): Promise<void> {
  const { nodeName } = cluster;
  const storage = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
  await cluster.apply(
    namespace,
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk' },
      spec: { ...storage, volumeName: volume, resources: { requests: { storage: '1Mi' } } },
    },
    mounting('first', nodeName, [claimed]),
  );
  await waitFor('the pod to report what it waits for', async () => {
    const events = await cluster.kubectl(
      '-n',
      namespace,
      'get',
      'events',
      '-o',
      'jsonpath={.items[*].message}',
    );
    return events.includes(`error processing PVC ${namespace}/disk: PVC is not bound`);
  });
  const required = {
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] },
    ],
  };
  await cluster.apply(namespace, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volume },
    spec: { ...storage, capacity: { storage: '1Mi' }, local: { path }, nodeAffinity: { required } },
  });
  await waitForReadyPods(cluster, namespace, 1, 'app=web');
  const exec = (pod: string, script: string): Promise<string> =>
    cluster.kubectl('-n', namespace, 'exec', pod, '--', 'sh', '-c', script);
  await exec('first', 'echo first >/disk/mark');
  await cluster.kubectl('-n', namespace, 'delete', 'pod', 'first');
  await cluster.apply(
    namespace,
    mounting('second', nodeName, [
      { ...claimed, persistentVolumeClaim: { claimName: 'disk', readOnly: true } },
    ]),
  );
  await waitForReadyPods(cluster, namespace, 1, 'app=web');
  assert.equal(
    await exec('second', 'cat /disk/mark; touch /disk/x 2>/dev/null || echo fixed'),
    'first\nfixed\n',
  );
}

const claimed = { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } };
