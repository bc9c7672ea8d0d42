/**
 * Twenty pods with a claim each, and twenty kills of kubelet, driver and both
 * while they come. In the end each device has one owner, each container has
 * what its claim brings, and no pod that ran was touched.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { container } from '../../integration/sample-pods.ts';
import { type Cluster, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { DraDriver } from './dra-driver.ts';
import { KillTrial, PATIENT_MS } from './kill-trial.ts';

const PODS = 20;
const DRIVER = 'dra.live.example.com';

interface Claim {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly { name: string }[] };
  readonly status?: {
    readonly allocation?: { readonly devices: { readonly results: readonly { device: string }[] } };
  };
}

const podName = (index: number): string => `claims-${index}`;

function claimTemplate(): object {
  const requests = [{ name: 'device', exactly: { deviceClassName: DRIVER } }];
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'one' },
    spec: { spec: { devices: { requests } } },
  };
}

/** Logs what its claim brought: the driver sets a variable that is named after the claim. */
function claimingPod(name: string): object {
  const command = ['/bin/tini', '--', 'sh', '-c', 'env | grep ^claim_; exec sleep infinity'];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 5,
      resourceClaims: [{ name: 'dev', resourceClaimTemplateName: 'one' }],
      containers: [container('main', command, { resources: { claims: [{ name: 'dev' }] } })],
    },
  };
}

/** The device of each pod whose claim has one. */
async function readDevices(cluster: Cluster, namespace: string): Promise<Map<string, string>> {
  const text = await cluster.kubectl('-n', namespace, 'get', 'resourceclaims', '-o', 'json');
  const given = new Map<string, string>();
  for (const { metadata, status } of (JSON.parse(text) as { items: Claim[] }).items) {
    const devices = status?.allocation?.devices.results.map(({ device }) => device) ?? [];
    const [owner] = metadata.ownerReferences ?? [];
    if (owner !== undefined && devices.length > 0) given.set(owner.name, devices.join(','));
  }
  return given;
}

describe('claims of devices under kills', NEEDS_CLUSTER, () => {
  it('each device has one owner, each container what its claim brings, and what runs is left alone', () =>
    withCluster(async (cluster, namespace) => {
      await using driver = await DraDriver.start(cluster, DRIVER, PODS);
      await cluster.apply(namespace, claimTemplate());
      const read = (): Promise<Map<string, string>> => readDevices(cluster, namespace);
      await using trial = new KillTrial(cluster, namespace, driver.process, read);
      for (let round = 0; round < PODS; round++) {
        await trial.bring(round, podName(round), claimingPod(podName(round)));
        await trial.kill(round);
        await trial.check();
      }
      await waitForReadyPods(cluster, namespace, PODS);
      await trial.check();
      await trial.see();
      const devices = await read();
      assert.equal(devices.size, PODS);
      assert.equal(new Set(devices.values()).size, PODS, `given: ${[...devices.values()].join(' ')}`);
      for (const name of devices.keys()) {
        const brought = new RegExp(`^claim_${name.replace('-', '_')}_dev_\\w+_device=true\n$`);
        assert.match(await trial.log(name), brought);
      }
      assert.equal(driver.preparedFiles().length, PODS);
      await trial.check();
      await trial.remove(...devices.keys());
      // The driver itself forgets at a kill what it had prepared, so that its files say nothing here.
      await waitFor('the kubelet to give all back', () => driver.claimsOfKubelet() === null, PATIENT_MS);
    }));
});
