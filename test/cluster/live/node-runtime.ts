/** The container runtime of the cluster's node, looked at and hurt behind the kubelet's back. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type CriConnection, connectCri } from '../../../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../../../src/adapters/linux/machine/system-clock.ts';
import { silentLogger } from '../../fakes/text-logger.ts';
import type { Daemon } from './daemon.ts';

const run = promisify(execFile);

export class NodeRuntime implements AsyncDisposable {
  readonly #cri: CriConnection;
  readonly #root: string;

  /** Of this kubelet, whether it runs or not. */
  constructor(kubelet: Daemon) {
    const config = readFileSync(kubelet.argument('--config'), 'utf8');
    const [, endpoint = ''] = /^containerRuntimeEndpoint: *(\S+)/m.exec(config) ?? [];
    this.#root = kubelet.argument('--root-dir');
    this.#cri = connectCri({
      endpoint,
      requestTimeoutMs: 60_000,
      clock: new SystemClock(),
      logger: silentLogger,
    });
  }

  /** The id of the pod's only running container, as the API writes it. */
  async running(namespace: string, name: string): Promise<string | undefined> {
    const sandboxes = await this.#sandboxesOf(namespace, name);
    const found = (await this.#cri.reader.listContainers()).find(
      ({ state, sandboxId }) => state === 'running' && sandboxes.includes(sandboxId),
    );
    return found === undefined ? undefined : `containerd://${found.id}`;
  }

  /** As after a reboot: neither containers nor mounts of the pod are left. */
  async destroy(namespace: string, name: string, uid: string): Promise<void> {
    for (const id of await this.#sandboxesOf(namespace, name)) await this.#cri.runtime.stopSandbox(id);
    const mounts = readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((path) => path.startsWith(`${this.#root}/pods/${uid}/`));
    for (const path of mounts.toReversed()) await run('umount', [path]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cri.close();
  }

  async #sandboxesOf(namespace: string, name: string) {
    const all = await this.#cri.reader.listSandboxes();
    return all
      .filter(({ podNamespace, podName }) => podNamespace === namespace && podName === name)
      .map(({ id }) => id);
  }
}
