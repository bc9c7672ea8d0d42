/** A runtime as the benchmark itself asks and uses it: no kubelet pays for being watched. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type CriConnection, connectCri } from '../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../src/adapters/linux/machine/system-clock.ts';
import { createLogger } from '../src/base/log.ts';
import { toContainerId } from '../src/core/model/ids.ts';
import { ContainerState, PodSandboxState } from '../src/gen/cri.ts';
import { SLEEP } from '../test/cluster/live/sample-objects.ts';
import { BUSYBOX } from '../test/integration/sample-pods.ts';

const EVERY_MS = 100;

export class RuntimeWatch {
  readonly #cri: CriConnection;

  constructor(endpoint: string) {
    const clock = new SystemClock();
    const now = (): number => clock.now();
    const logger = createLogger({ format: 'text', verbosity: -1, now, pid: process.pid, write: () => {} });
    this.#cri = connectCri({ endpoint, requestTimeoutMs: 120_000, clock, logger });
  }

  /** Resolves when this many containers run. */
  async untilRunning(count: number, deadlineMs: number): Promise<void> {
    const filter = { state: { state: ContainerState.CONTAINER_RUNNING } };
    await this.#until(`${count} running containers`, deadlineMs, async () => {
      const { containers } = await this.#cri.client.call('listContainers', { filter });
      return containers.length >= count;
    });
  }

  /** Resolves when no sandbox is ready. */
  async untilStopped(deadlineMs: number): Promise<void> {
    const filter = { state: { state: PodSandboxState.SANDBOX_READY } };
    await this.#until('end of all pods', deadlineMs, async () => {
      const { items } = await this.#cri.client.call('listPodSandbox', { filter });
      return items.length === 0;
    });
  }

  /** Removes what has stopped: the upstream kubelet leaves it to a timer. */
  async removeStopped(): Promise<void> {
    const { items } = await this.#cri.client.call('listPodSandbox', {});
    for (const { id } of items)
      await this.#cri.client.call('removePodSandbox', { podSandboxId: id }).catch(() => {});
  }

  /** The first process of a container that runs. */
  async pidOf(id: string): Promise<number> {
    const containerId = toContainerId(id);
    const { info } = await this.#cri.client.call('containerStatus', { containerId, verbose: true });
    return (JSON.parse(info['info'] ?? '{}') as { pid: number }).pid;
  }

  /** A sandbox with one container, as small as the pods of the benchmark; returns the sandbox's id. */
  async runPod(name: string): Promise<string> {
    const { client } = this.#cri;
    const metadata = { name, uid: randomUUID(), namespace: 'floor', attempt: 0 };
    const sandboxConfig = { metadata, linux: {} };
    const { podSandboxId } = await client.call('runPodSandbox', { config: sandboxConfig });
    const config = {
      metadata: { name: 'main', attempt: 0 },
      image: { image: BUSYBOX },
      command: SLEEP,
      linux: {},
    };
    const { containerId } = await client.call('createContainer', { podSandboxId, config, sandboxConfig });
    await client.call('startContainer', { containerId });
    return podSandboxId;
  }

  /** With its containers. */
  async removePod(podSandboxId: string): Promise<void> {
    await this.#cri.client.call('stopPodSandbox', { podSandboxId });
    await this.#cri.client.call('removePodSandbox', { podSandboxId });
  }

  close(): Promise<void> {
    return this.#cri.close();
  }

  async #until(what: string, deadlineMs: number, isSo: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + deadlineMs;
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Error(`no ${what} within ${deadlineMs / 1000} s`);
      await delay(EVERY_MS);
    }
  }
}
