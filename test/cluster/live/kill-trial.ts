/**
 * Pods that need a device, and kills while they come: of the kubelet, of the
 * program that hands out the devices, and of both; right after a pod was made,
 * once it has its device, and once it is ready.
 */
import assert from 'node:assert/strict';
import type { Pod } from '../../../src/core/api/pod.ts';
import { type Cluster, isReady, waitFor } from './cluster.ts';
import { Daemon } from './daemon.ts';
import type { PeerProcess } from './peer-process.ts';
import { type PodMark, toMarks } from './pod-watch.ts';

/** Long enough for any machine: what counts is what happens, not when. */
export const PATIENT_MS = 180_000;

/** The devices of each pod that has some, by the pod's name. */
type ReadDevices = () => Promise<ReadonlyMap<string, string>>;

export class KillTrial implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #peer: PeerProcess;
  readonly #devices: ReadDevices;
  readonly #kubelet = Daemon.find('kubelet-cluster');
  /** Pods as they were when they were first seen ready. */
  readonly #known = new Map<string, PodMark>();

  constructor(cluster: Cluster, namespace: string, peer: PeerProcess, devices: ReadDevices) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#peer = peer;
    this.#devices = devices;
  }

  /** Makes the pod, and waits for the moment that this round kills in. */
  async bring(round: number, name: string, pod: object): Promise<void> {
    await this.#cluster.apply(this.#namespace, pod);
    const moment = round % 3;
    if (moment === 1)
      await waitFor(`a device for "${name}"`, async () => (await this.#devices()).has(name), PATIENT_MS);
    if (moment === 2) await this.waitForReady(name);
    await this.see();
  }

  async waitForReady(name: string): Promise<void> {
    await waitFor(
      `pod "${name}" to be ready`,
      async () => (await this.#pods()).some((pod) => pod.metadata.name === name && isReady(pod)),
      PATIENT_MS,
    );
  }

  /** The kubelet, the other program, or both. */
  async kill(round: number): Promise<void> {
    const victims = Math.floor(round / 3) % 3;
    await waitFor('what hands out the devices to run', () => this.#peer.isRunning);
    if (victims !== 0) await this.#peer.kill();
    if (victims !== 1) {
      await this.#kubelet.kill();
      this.#kubelet.start();
    }
    if (victims !== 0) this.#peer.launch();
  }

  /** From now on pods that are ready must stay as they are. */
  async see(): Promise<void> {
    for (const [name, mark] of Object.entries(toMarks((await this.#pods()).filter(isReady))))
      if (!this.#known.has(name)) this.#known.set(name, mark);
  }

  /**
   * Pods that were once ready are as they were. Others may have containers that a kill kept from their
   * start: the runtime may have started them or not, so that others came in their place.
   */
  async check(): Promise<void> {
    const now = (await this.#pods()).filter(({ metadata }) => this.#known.has(metadata.name));
    assert.deepEqual(toMarks(now), Object.fromEntries(this.#known));
  }

  /** What the container said first, which may be after it was ready. */
  log(name: string): Promise<string> {
    return waitFor(
      `a word of "${name}"`,
      async () => (await this.#cluster.kubectl('-n', this.#namespace, 'logs', name)) || undefined,
    );
  }

  /** Deletes pods and resolves when they are gone. */
  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) this.#known.delete(name);
    await this.#cluster.kubectl(...this.#deletion, ...names);
  }

  /** What hands out the devices must outlive the pods: without it their end may not come. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.kubectl(...this.#deletion, '--all');
  }

  get #deletion(): readonly string[] {
    return ['-n', this.#namespace, 'delete', 'pods', `--timeout=${PATIENT_MS}ms`];
  }

  #pods(): Promise<readonly Pod[]> {
    return this.#cluster.pods(this.#namespace);
  }
}
