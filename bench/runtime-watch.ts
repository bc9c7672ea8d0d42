/** What a runtime has, asked by the benchmark itself: no kubelet pays for being watched. */
import { setTimeout as delay } from 'node:timers/promises';
import { type CriConnection, connectCri } from '../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../src/adapters/linux/machine/system-clock.ts';
import { createLogger } from '../src/base/log.ts';
import { ContainerState, PodSandboxState } from '../src/gen/cri.ts';

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
