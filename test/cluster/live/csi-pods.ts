/** Pods with volumes of a storage driver, and a driver that ends with its test. */
import { randomBytes } from 'node:crypto';
import type { Pod } from '../../../src/core/api/pod.ts';
import { EVENTS, PODS } from '../../../src/ports/cluster/api-resource.ts';
import { type Cluster, isReady, waitFor, withCluster } from './cluster.ts';
import { CsiDriver } from './csi-driver.ts';
import { BUSYBOX, SLEEP } from './sample-objects.ts';

export const BOTH_MODES = {
  attachRequired: false,
  podInfoOnMount: true,
  volumeLifecycleModes: ['Persistent', 'Ephemeral'],
};

export interface Use {
  readonly volume: object;
  readonly asDevice?: boolean;
}

export function podWith(name: string, { volume, asDevice = false }: Use, more: object = {}): object {
  const use = asDevice
    ? { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }
    : { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'main', image: BUSYBOX, command: SLEEP, ...use }],
      volumes: [{ name: 'data', ...volume }],
      ...more,
    },
  };
}

export const claimed = (claimName: string): object => ({ persistentVolumeClaim: { claimName } });

export interface DriverTest {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly driver: CsiDriver;
  readonly ready: (pod: string) => Promise<Pod>;
}

/** Runs `body` with a driver of its own; ends with nothing of its volumes left on the node. */
export function withDriver(spec: object, body: (parts: DriverTest) => Promise<void>): Promise<void> {
  return withCluster(async (cluster, namespace) => {
    const name = `csi-${randomBytes(3).toString('hex')}.test`;
    await using driver = await CsiDriver.start(cluster, name, spec);
    const ready = (pod: string): Promise<Pod> =>
      waitFor(`pod "${pod}" to be ready`, async () => {
        const found = await cluster.api.get<Pod>({ resource: PODS, namespace, name: pod });
        return found !== undefined && isReady(found) && found;
      });
    try {
      await body({ cluster, namespace, driver, ready });
    } finally {
      await cluster.kubectl('-n', namespace, 'delete', 'pods', '--all', '--timeout=60s');
      await cluster.kubectl('-n', namespace, 'delete', 'pvc', '--all', '--timeout=60s');
      await cluster.kubectl('delete', 'pv', '-l', `claims-of=${namespace}`, '--timeout=60s');
    }
    await driver.waitForNoTraces();
  });
}

/** Events of objects of a kind, as `reason: message`. */
export async function eventsOf(cluster: Cluster, namespace: string, kind: string): Promise<string[]> {
  const { items } = await cluster.api.list<{
    readonly metadata: { readonly name: string };
    readonly involvedObject: { readonly kind: string };
    readonly reason: string;
    readonly message: string;
  }>({ resource: EVENTS, namespace });
  return items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ reason, message }) => `${reason}: ${message}`);
}
