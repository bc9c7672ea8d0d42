/**
 * A real metrics server as a process beside the cluster, known to the API
 * server as the server of `metrics.k8s.io`. It asks kubelets for
 * `/metrics/resource`, and kubectl asks it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../scripts/demo/free-port.ts';
import { type Cluster, requireVariable, waitFor } from './cluster.ts';

const NAME = 'metrics-server';
const BUILD = join(import.meta.dirname, '../build.sh');
const API_SERVICE = 'v1beta1.metrics.k8s.io';
/** The least that it takes. */
const RESOLUTION = '10s';
const AVAILABLE_MS = 90_000;

export class MetricsServer implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #directory = mkdtempSync(join(tmpdir(), 'metrics-server-'));
  #process: ChildProcess | undefined;

  private constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
  }

  /** Here, not before all tests: other programs of Kubernetes are built while the first tests run. */
  static async build(): Promise<void> {
    await promisify(execFile)(BUILD, [NAME]);
  }

  /** Resolves when the API server sends its callers there. */
  static async start(cluster: Cluster, namespace: string): Promise<MetricsServer> {
    const server = new MetricsServer(cluster, namespace);
    try {
      await server.#launch();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cluster.kubectl('delete', 'apiservice', API_SERVICE, '--ignore-not-found');
    const child = this.#process;
    if (child !== undefined && child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const address = (await this.#cluster.node()).status?.addresses?.find(({ type }) => type === 'InternalIP');
    const ip = address?.address ?? '';
    const port = await freePort();
    const authority = join(requireVariable('KUBELET_TS_HOST_DIR'), 'cluster/pki/ca.crt');
    const config = requireVariable('KUBECONFIG');
    this.#process = spawn(
      NAME,
      [
        ...['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
          (flag) => `--${flag}=${config}`,
        ),
        `--kubelet-certificate-authority=${authority}`,
        '--kubelet-preferred-address-types=InternalIP',
        `--metric-resolution=${RESOLUTION}`,
        // Must be less.
        '--kubelet-request-timeout=5s',
        `--bind-address=${ip}`,
        `--secure-port=${port}`,
        `--cert-dir=${this.#directory}`,
      ],
      { stdio: 'ignore' },
    );
    await this.#register(ip, port);
    await waitFor(
      'the API server to reach the metrics server',
      async () => {
        const path = `jsonpath={.status.conditions[?(@.type=="Available")].status}`;
        return (await this.#cluster.kubectl('get', 'apiservice', API_SERVICE, '-o', path)) === 'True';
      },
      AVAILABLE_MS,
    );
  }

  /** A service without pods: its only endpoint is this process. */
  async #register(ip: string, port: number): Promise<void> {
    const labels = { 'kubernetes.io/service-name': NAME };
    await this.#cluster.apply(
      this.#namespace,
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: NAME },
        spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
      },
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name: NAME, labels },
        addressType: 'IPv4',
        ports: [{ name: 'https', port, protocol: 'TCP' }],
        endpoints: [{ addresses: [ip], conditions: { ready: true } }],
      },
    );
    const service = { name: NAME, namespace: this.#namespace, port: 443 };
    const spec = {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service,
    };
    // It belongs to no namespace; the one named is not used.
    await this.#cluster.apply('default', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: API_SERVICE },
      spec,
    });
  }
}
