/**
 * The API server of the test cluster goes away and comes back. Whatever else
 * talks to it waits longer and longer between two tries, the controller
 * manager and the scheduler up to a minute. That is theirs and not what is
 * tested: they are started again at the end of an outage, so that the next
 * test finds a cluster that works.
 */
import { type Cluster, waitFor } from './cluster.ts';
import { Daemon } from './daemon.ts';

/** To read its state from the store and answer, beside whatever else this machine does. */
const START_MS = 180_000;

export class ApiServerOutage implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #server: Daemon;

  private constructor(cluster: Cluster, server: Daemon) {
    this.#cluster = cluster;
    this.#server = server;
  }

  /** Kills it; dispose the result to have all of the control plane back. */
  static async begin(cluster: Cluster): Promise<ApiServerOutage> {
    const outage = new ApiServerOutage(cluster, Daemon.find('cluster-kube-apiserver'));
    await outage.#server.kill();
    return outage;
  }

  /** Starts the API server and resolves when it says that it is ready. */
  async end(): Promise<void> {
    if (!this.#server.isRunning) this.#server.start();
    await waitFor('the API server', () => this.#cluster.kubectl('get', '--raw', '/readyz'), START_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    for (const name of ['cluster-kube-controller-manager', 'cluster-kube-scheduler'] as const) {
      const daemon = Daemon.find(name);
      await daemon.kill();
      daemon.start();
    }
  }
}
