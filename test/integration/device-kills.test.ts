/**
 * Twenty pods with a device each, and twenty kills of kubelet and plugin while
 * they come: right after a manifest, in the middle of an allocation, and once a
 * pod is ready. In the end every device has one owner, and no pod that ran was
 * judged again or started again.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import { GrpcJsDevicePlugin } from '../fakes/grpc-js-device-plugin.ts';
import { containerStatus, isReady, type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';

const RESOURCE = 'x.io/dev';
const PODS = 20;
/** Long enough for any machine: what counts is what happens, not when. */
const PATIENT_MS = 120_000;

const podName = (index: number): string => `p${index}`;

function devicePod(name: string): object {
  const command = ['/bin/tini', '--', 'sh', '-c', 'echo "$DEVICES"; exec sleep infinity'];
  const resources = { limits: { [RESOURCE]: '1' } };
  return samplePod(name, { containers: [container('main', command, { resources })] });
}

/** What a pod that runs must keep for good: its container, its restarts, its device. */
function identity(pod: ListedPod): string {
  const { containerID, restartCount, allocatedResourcesStatus } = containerStatus(pod, 'main');
  const devices = (allocatedResourcesStatus ?? []).flatMap(({ resources }) => resources);
  return `${containerID} ${restartCount} ${devices.map(({ resourceID }) => resourceID).join(',')}`;
}

class Trial {
  readonly #node: TestNode;
  readonly #plugin: GrpcJsDevicePlugin;
  readonly #known = new Map<string, string>();

  constructor(node: TestNode) {
    this.#node = node;
    const ids = Array.from({ length: PODS }, (_, index) => `d${index}`);
    this.#plugin = new GrpcJsDevicePlugin(RESOURCE, join(node.kubelet.rootDir, 'device-plugins'), ids);
  }

  get known(): ReadonlyMap<string, string> {
    return this.#known;
  }

  end(): void {
    this.#plugin.kill();
  }

  /** Serves again and registers, as a plugin does when the kubelet's socket is new. */
  async servePlugin(): Promise<void> {
    const come = async (): Promise<true> => {
      this.#plugin.kill();
      await this.#plugin.serve();
      await this.#plugin.register();
      return true;
    };
    await this.#node.waitFor('the plugin to register', come, PATIENT_MS);
  }

  /** Writes the manifest, and waits for the moment that this round kills in. */
  async bring(index: number): Promise<void> {
    const asked = this.#plugin.allocations.length;
    await this.#node.writeManifest(`${podName(index)}.yaml`, devicePod(podName(index)));
    const moment = index % 3;
    if (moment === 1)
      await this.#node.waitFor('the allocation', () => this.#plugin.allocations.length > asked, PATIENT_MS);
    if (moment === 2) this.#note(await this.#node.waitReady(podName(index), PATIENT_MS));
  }

  /** Both, one or the other of them first. */
  async kill(round: number): Promise<void> {
    if (round % 2 === 0) this.#plugin.kill();
    await this.#node.kubelet.kill9();
    this.#plugin.kill();
    await this.#node.startAgain();
    await this.servePlugin();
  }

  /** Every pod that was seen ready is listed as it was; those that are ready now are known from now on. */
  async check(): Promise<void> {
    const pods = await this.#node.waitFor(
      'every pod that ran to be shown as ready',
      async () => {
        const listed = await this.#node.pods();
        const ready = listed.filter(isReady);
        const names = new Set(ready.map(({ metadata }) => metadata.name));
        return this.#known.keys().every((name) => names.has(name)) && ready;
      },
      PATIENT_MS,
    );
    for (const pod of pods) this.#note(pod);
  }

  #note(pod: ListedPod): void {
    const { name } = pod.metadata;
    const seen = identity(pod);
    const before = JSON.stringify(containerStatus(pod, 'main').lastState);
    assert.equal(seen, this.#known.get(name) ?? seen, `pod "${name}" was touched: ${before}`);
    this.#known.set(name, seen);
  }
}

describe('device plugins under kills', () => {
  it('each device has one owner, and what runs is never judged again', { timeout: 590_000 }, () =>
    withNode({ leftoversGoWithinMs: 30_000 }, async (node) => {
      const trial = new Trial(node);
      try {
        await trial.servePlugin();
        for (let round = 0; round < PODS / 2; round++) {
          await trial.bring(2 * round);
          await trial.bring(2 * round + 1);
          await trial.kill(round);
          await trial.check();
        }
        for (let index = 0; index < PODS; index++) await node.waitReady(podName(index), PATIENT_MS);
        await trial.check();
      } finally {
        trial.end();
      }
      const owned = [...trial.known.values()].map((seen) => seen.split(' ')[2]);
      assert.equal(owned.length, PODS);
      assert.equal(new Set(owned).size, PODS, `owned: ${owned.join(' ')}`);
      const refused = (await node.pods()).filter(({ status }) => status.phase === 'Failed');
      assert.deepEqual(refused, []);
    }),
  );
});
