/**
 * Twenty pods with a claim each, and twenty kills of kubelet, driver and both
 * while they come: right after a pod was made, once its claim has a device, and
 * once it is ready. In the end each device has one owner, each container has
 * what its claim brings, and no pod that ran was touched.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pod } from '../../../src/core/api/pod.ts';
import { container } from '../../integration/sample-pods.ts';
import { type Cluster, isReady, NEEDS_CLUSTER, waitFor, waitForReadyPods, withCluster } from './cluster.ts';
import { Daemon } from './daemon.ts';
import { DraDriver } from './dra-driver.ts';
import { toMarks } from './pod-watch.ts';

const PODS = 20;
const DRIVER = 'dra.live.example.com';
/** Long enough for any machine: what counts is what happens, not when. */
const PATIENT_MS = 180_000;

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

class Trial {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #driver: DraDriver;
  readonly #kubelet = Daemon.find('kubelet-cluster');
  #known: readonly Pod[] = [];

  constructor(cluster: Cluster, namespace: string, driver: DraDriver) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#driver = driver;
  }

  /** Makes the pod, and waits for the moment that this round kills in. */
  async bring(index: number): Promise<void> {
    const name = podName(index);
    await this.#cluster.apply(this.#namespace, claimingPod(name));
    const moment = index % 3;
    if (moment === 1)
      await waitFor(`a device for "${name}"`, async () => (await this.devices()).has(name), PATIENT_MS);
    if (moment === 2)
      await waitFor(
        `pod "${name}" to be ready`,
        async () => (await this.#pods()).some((pod) => pod.metadata.name === name && isReady(pod)),
        PATIENT_MS,
      );
    this.#known = (await this.#pods()).filter(isReady);
  }

  /** The kubelet, the driver, or both. */
  async kill(round: number): Promise<void> {
    const victims = Math.floor(round / 3) % 3;
    assert.ok(this.#driver.isRunning, 'the driver has ended by itself');
    if (victims !== 0) await this.#driver.kill();
    if (victims !== 1) {
      await this.#kubelet.kill();
      this.#kubelet.start();
    }
    if (victims !== 0) this.#driver.launch();
  }

  /** Pods that were ready before the kill are as they were. */
  async check(): Promise<void> {
    const names = new Set(this.#known.map(({ metadata }) => metadata.name));
    const now = (await this.#pods()).filter(({ metadata }) => names.has(metadata.name));
    assert.deepEqual(toMarks(now), toMarks(this.#known));
  }

  /** The device of each pod that has one. */
  async devices(): Promise<Map<string, string>> {
    const text = await this.#cluster.kubectl('-n', this.#namespace, 'get', 'resourceclaims', '-o', 'json');
    const given = new Map<string, string>();
    for (const { metadata, status } of (JSON.parse(text) as { items: Claim[] }).items) {
      const devices = status?.allocation?.devices.results.map(({ device }) => device) ?? [];
      const [owner] = metadata.ownerReferences ?? [];
      if (owner !== undefined && devices.length > 0) given.set(owner.name, devices.join(','));
    }
    return given;
  }

  #pods(): Promise<readonly Pod[]> {
    return this.#cluster.pods(this.#namespace);
  }
}

describe('claims of devices under kills', NEEDS_CLUSTER, () => {
  it('each device has one owner, each container what its claim brings, and what runs is left alone', () =>
    withCluster(async (cluster, namespace) => {
      await using driver = await DraDriver.start(cluster, DRIVER, PODS);
      await cluster.apply(namespace, claimTemplate());
      const trial = new Trial(cluster, namespace, driver);
      for (let round = 0; round < PODS; round++) {
        await trial.bring(round);
        await trial.kill(round);
        await trial.check();
      }
      await waitForReadyPods(cluster, namespace, PODS);
      await trial.check();
      const devices = await trial.devices();
      assert.equal(devices.size, PODS);
      assert.equal(new Set(devices.values()).size, PODS, `given: ${[...devices.values()].join(' ')}`);
      for (const pod of await cluster.pods(namespace)) {
        const { name } = pod.metadata;
        assert.equal(pod.status?.containerStatuses?.[0]?.restartCount, 0, `"${name}" was started again`);
        const said = await cluster.kubectl('-n', namespace, 'logs', name);
        assert.match(said, new RegExp(`^claim_${name.replace('-', '_')}_dev_\\w+_device=true\n$`));
      }
      assert.equal(driver.preparedFiles().length, PODS);
      await cluster.kubectl('-n', namespace, 'delete', 'pods', '--all');
      // The driver itself forgets at a kill what it had prepared, so that its files say nothing here.
      await waitFor('the kubelet to give all back', () => driver.claimsOfKubelet() === null, PATIENT_MS);
    }));
});
