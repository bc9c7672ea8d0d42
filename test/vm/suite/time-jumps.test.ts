/** The clock of the machine is set by hours, back and ahead: pods do not notice, and nothing waits for it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { type ClusterNode, withClusterNode } from '../../integration/cluster-node.ts';
import {
  container,
  type SamplePod,
  samplePod,
  scriptPod,
  sleepingPod,
} from '../../integration/sample-pods.ts';

const run = promisify(execFile);
/** In namespaces of a host the clock is the host's, and cannot be set. */
const HAS_OWN_CLOCK = existsSync('/dev/virtio-ports/report');
const HOUR_MS = 3_600_000;
const LEASES = toCollection('coordination.k8s.io', 'v1', 'leases', 'kube-node-lease');
/** By how much the clock is off because of these tests. */
let offMs = 0;

async function jump(byMs: number): Promise<void> {
  const seconds = ((Date.now() + byMs) / 1_000).toFixed(3);
  await run('date', [`--set=@${seconds}`]);
  offMs += byMs;
}

/** Its probe runs each second, and one failure would end it. */
function probedPod(name: string): SamplePod {
  const probe = { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 30 };
  const main = container('main', ['/bin/tini', '--', 'sleep', 'infinity'], {
    livenessProbe: { ...probe, failureThreshold: 3 },
    readinessProbe: probe,
  });
  return samplePod(name, { terminationGracePeriodSeconds: 1, containers: [main] });
}

const restartsOf = (cluster: ClusterNode, name: string): number =>
  cluster.podStatus(name).containerStatuses?.[0]?.restartCount ?? -1;

const instanceOf = (cluster: ClusterNode, name: string): string =>
  `${cluster.podStatus(name).containerStatuses?.[0]?.containerID} ${restartsOf(cluster, name)}`;

/** A pod that crashes is started again, the lease is renewed, others start and end; one that is steady is left alone. */
async function checkLife(cluster: ClusterNode, name: string, steady: string): Promise<void> {
  const { node, api } = cluster;
  const restarts = restartsOf(cluster, 'crashing');
  const readLease = (): string | undefined => {
    const leases = api.store.list(LEASES) as { spec?: { renewTime?: string } }[];
    return leases[0]?.spec?.renewTime;
  };
  const renewedAt = readLease();
  cluster.createPod(sleepingPod(name));
  cluster.createPod(scriptPod(`${name}-done`, 'sleep 1; exit 0', { restartPolicy: 'Never' }));
  await cluster.waitRunning(name);
  await cluster.waitForPod(`${name}-done`, 'over', ({ phase }) => phase === 'Succeeded');
  await node.waitFor('the lease to be renewed', () => readLease() !== renewedAt, 60_000);
  await node.waitFor(
    'the crashing pod to be started again',
    () => restartsOf(cluster, 'crashing') > restarts,
    90_000,
  );
  assert.equal(instanceOf(cluster, 'steady'), steady);
  await cluster.waitRunning('steady');
  const ready = cluster.nodeStatus().conditions?.find(({ type }) => type === 'Ready');
  assert.equal(ready?.status, 'True');
}

describe('the clock of the machine', { skip: !HAS_OWN_CLOCK && 'it is not this machine’s to set' }, () => {
  after(() => jump(-offMs));

  it('may be set back and ahead by hours, also before a kubelet starts', () =>
    withClusterNode({}, async (cluster) => {
      cluster.createPod(probedPod('steady'));
      cluster.createPod(scriptPod('crashing', 'sleep 2; exit 1'));
      await cluster.waitRunning('steady');
      await cluster.waitForPod('crashing', 'started again', () => restartsOf(cluster, 'crashing') >= 1);
      const steady = instanceOf(cluster, 'steady');

      await jump(-2 * HOUR_MS);
      await checkLife(cluster, 'back', steady);
      await jump(5 * HOUR_MS);
      await checkLife(cluster, 'ahead', steady);
      // What ended lies in the future of a kubelet that starts now.
      await jump(-3 * HOUR_MS);
      await cluster.node.restart();
      await checkLife(cluster, 'restarted', steady);
    }));
});
