/**
 * An API server in this process for one node whose pods run nothing, over TLS:
 * with `burst.ts --model --api` a kubelet has what it does for pods of an API
 * server, their tokens and statuses included, without a control plane beside it.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '../../src/core/api/pod.ts';
import type { PodStatus } from '../../src/core/api/pod-status.ts';
import { defaultPod } from '../../src/core/manifest/default-pod.ts';
import type { JsonObject } from '../../test/fakes/fake-api-patch.ts';
import { toCollection } from '../../test/fakes/fake-api-path.ts';
import { FakeApiServer } from '../../test/fakes/fake-api-server.ts';
import { TestAuthority } from '../../test/fakes/test-certificates.ts';

const NAMESPACE = 'default';
const PODS = toCollection('', 'v1', 'pods', NAMESPACE);
const NODES = toCollection('', 'v1', 'nodes');
const CONFIG_MAPS = toCollection('', 'v1', 'configmaps', NAMESPACE);
const TOKEN_VOLUME = 'kube-api-access';
const EVERY_MS = 100;

export class ModelCluster implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly #server: FakeApiServer;
  readonly #directory: string;

  private constructor(server: FakeApiServer, directory: string) {
    this.#server = server;
    this.#directory = directory;
    this.kubeconfig = join(directory, 'kubeconfig');
  }

  static async start(nodeName: string): Promise<ModelCluster> {
    const directory = await mkdtemp(join(tmpdir(), 'model-cluster-'));
    const authority = await TestAuthority.create();
    const [own, client] = [
      await authority.issue('server'),
      await authority.issue(`system:node:${nodeName}`, ''),
    ];
    await authority.remove();
    const server = new FakeApiServer({ tls: { ...own, ca: authority.cert } });
    server.subresources.set('serviceaccounts/token', (_path, body) => answerToken(body));
    const data = { 'ca.crt': authority.cert };
    server.store.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-root-ca.crt' },
      data,
    });
    await server.start();
    const cluster = new ModelCluster(server, directory);
    const files = { 'ca.crt': authority.cert, 'client.crt': client.cert, 'client.key': client.key };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    await writeFile(cluster.kubeconfig, JSON.stringify(toKubeconfig(server.url, directory)));
    return cluster;
  }

  /** As API server and scheduler leave it: with the defaults, a token, and bound to the node. */
  createPod(nodeName: string, name: string, spec: Readonly<Record<string, unknown>>): void {
    const [container, ...others] = spec['containers'] as Readonly<Record<string, unknown>>[];
    const mount = {
      name: TOKEN_VOLUME,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    };
    const containers = [{ ...container, volumeMounts: [mount] }, ...others];
    const bound = { ...spec, containers, volumes: [tokenVolume()], nodeName, serviceAccountName: 'default' };
    const metadata = { name, namespace: NAMESPACE, uid: randomUUID() };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: bound } as unknown as Pod;
    this.#server.store.create(PODS, defaultPod(pod) as unknown as JsonObject);
  }

  deletePod(name: string): void {
    this.#server.store.delete(PODS, name);
  }

  untilNodeReady(deadlineMs: number): Promise<void> {
    return until('ready node', deadlineMs, () =>
      this.#server.store.list(NODES).some((node) => isReady(node['status'] as PodStatus | undefined)),
    );
  }

  untilReady(count: number, deadlineMs: number): Promise<void> {
    const statuses = () => this.#server.store.list(PODS).map(({ status }) => status as PodStatus | undefined);
    return until(`${count} ready pods`, deadlineMs, () => statuses().filter(isReady).length >= count);
  }

  untilGone(deadlineMs: number): Promise<void> {
    return until('end of all pods', deadlineMs, () => this.#server.store.list(PODS).length === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop();
    await rm(this.#directory, { recursive: true });
  }
}

function isReady(status: Pick<PodStatus, 'conditions'> | undefined): boolean {
  return (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
}

/** As the admission of service accounts adds it. */
function tokenVolume(): object {
  const token = { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } };
  const authority = { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } };
  const field = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    name: TOKEN_VOLUME,
    projected: { sources: [token, authority, { downwardAPI: { items: [field] } }] },
  };
}

/** As long as a real one. */
function answerToken(body: JsonObject): JsonObject {
  const expirationTimestamp = `${new Date(Date.now() + 3_607_000).toISOString().slice(0, 19)}Z`;
  const status = { token: `${'h'.repeat(90)}.${'c'.repeat(700)}.${'s'.repeat(342)}`, expirationTimestamp };
  return { ...body, kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', status };
}

function toKubeconfig(server: string, directory: string): object {
  const user = {
    'client-certificate': join(directory, 'client.crt'),
    'client-key': join(directory, 'client.key'),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'certificate-authority': join(directory, 'ca.crt') } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user }],
    'current-context': 'c',
  };
}

async function until(what: string, deadlineMs: number, isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`no ${what} within ${deadlineMs / 1000} s`);
    await delay(EVERY_MS);
  }
}
