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
import { type PodMark, toMarks } from './pod-watch.ts';

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

class Trial implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #driver: DraDriver;
  readonly #kubelet = Daemon.find('kubelet-cluster');
  /** Pods as they were when they were first seen ready. */
  #known: Record<string, PodMark> = {};

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
    await this.see();
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

  async see(): Promise<void> {
    this.#known = { ...toMarks((await this.#pods()).filter(isReady)), ...this.#known };
  }

  /**
   * Pods that were once ready are as they were. Others may have containers that a kill kept from their
   * start: the runtime may have started them or not, so that others came in their place.
   */
  async check(): Promise<void> {
    const now = (await this.#pods()).filter(({ metadata }) => metadata.name in this.#known);
    assert.deepEqual(toMarks(now), this.#known);
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

  /** The driver must outlive the pods: without it their claims cannot be given back, nor they removed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.kubectl('-n', this.#namespace, 'delete', 'pods', '--all', '--timeout=180s');
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
      await using trial = new Trial(cluster, namespace, driver);
      for (let round = 0; round < PODS; round++) {
        await trial.bring(round);
        await trial.kill(round);
        await trial.check();
      }
      await waitForReadyPods(cluster, namespace, PODS);
      await trial.check();
      await trial.see();
      const devices = await trial.devices();
      assert.equal(devices.size, PODS);
      assert.equal(new Set(devices.values()).size, PODS, `given: ${[...devices.values()].join(' ')}`);
      for (const name of devices.keys()) {
        const brought = new RegExp(`^claim_${name.replace('-', '_')}_dev_\\w+_device=true\n$`);
        // A container is ready as soon as it runs, which may be before its first word.
        const said = await waitFor(
          `a word of "${name}"`,
          async () => (await cluster.kubectl('-n', namespace, 'logs', name)) || undefined,
        );
        assert.match(said, brought);
      }
      assert.equal(driver.preparedFiles().length, PODS);
      await trial.check();
      await cluster.kubectl('-n', namespace, 'delete', 'pods', '--all');
      // The driver itself forgets at a kill what it had prepared, so that its files say nothing here.
      await waitFor('the kubelet to give all back', () => driver.claimsOfKubelet() === null, PATIENT_MS);
    }));
});
