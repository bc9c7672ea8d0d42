/**
 * The running test cluster as the live tests see it: kubectl, our own API
 * client as administrator, and a namespace for each test that is removed at
 * its end. `live.sh` sets the environment; the cluster itself is `make cluster-up`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ApiClient, createApiClient } from '../../../src/adapters/kube/api-client.ts';
import { credentialFiles } from '../../../src/adapters/kube/credentials/credential-files.ts';
import { loadKubeconfig } from '../../../src/adapters/kube/credentials/kubeconfig.ts';
import { SystemClock } from '../../../src/adapters/linux/machine/system-clock.ts';
import type { Node } from '../../../src/core/api/node.ts';
import type { Pod } from '../../../src/core/api/pod.ts';
import { NODES, PODS } from '../../../src/ports/cluster/api-resource.ts';
import type { ApiServer } from '../../../src/ports/cluster/api-server.ts';
import { silentLogger } from '../../fakes/text-logger.ts';

const run = promisify(execFile);
const POLL_MS = 50;
/** What the controller manager does comes when it comes: how soon is not for these tests to judge. */
export const CONTROLLERS_MS = 240_000;
const UNLIMITED = { perSecond: 1000, burst: 1000 };

/** For the options of a suite: these tests need the cluster that live.sh names. */
export const NEEDS_CLUSTER = {
  skip: process.env['KUBELET_TS_NODE'] === undefined && 'they need the test cluster: run "make cluster-test"',
};

export interface Cluster {
  readonly api: ApiServer;
  readonly nodeName: string;
  /** Its standard output; rejects with what it wrote to standard error. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** `kubectl apply` of these objects in a namespace. */
  apply(namespace: string, ...objects: readonly object[]): Promise<void>;
  node(): Promise<Node>;
  pods(namespace: string, labelSelector?: string): Promise<readonly Pod[]>;
}

/** Runs `body` with the cluster and a namespace of its own. */
export async function withCluster(
  body: (cluster: Cluster, namespace: string) => Promise<void>,
): Promise<void> {
  const client = await connect();
  const cluster = toCluster(client);
  const namespace = `live-${randomBytes(4).toString('hex')}`;
  const errors: unknown[] = [];
  const collect = (error: unknown): void => void errors.push(error);
  await runInNamespace(cluster, namespace, body).catch(collect);
  await removeNamespace(cluster, namespace).catch(collect);
  await client.close().catch(collect);
  if (errors.length > 1) throw new AggregateError(errors, 'several things failed, the first of them first');
  if (errors.length > 0) throw errors[0];
}

async function runInNamespace(
  cluster: Cluster,
  namespace: string,
  body: (cluster: Cluster, namespace: string) => Promise<void>,
): Promise<void> {
  await cluster.kubectl('create', 'namespace', namespace);
  await waitFor(
    'the service account of the namespace',
    async () => (await cluster.kubectl('-n', namespace, 'get', 'serviceaccounts', '-o', 'name')) !== '',
    CONTROLLERS_MS,
  );
  await body(cluster, namespace);
}

/** Its pods must be gone for the next test; the empty namespace takes some seconds more and disturbs no test. */
async function removeNamespace(cluster: Cluster, namespace: string): Promise<void> {
  await cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
  await waitFor(
    'the end of the pods',
    async () => (await cluster.pods(namespace)).length === 0,
    CONTROLLERS_MS,
  );
}

async function connect(): Promise<ApiClient> {
  const path = requireVariable('KUBECONFIG');
  return createApiClient({
    kubeconfig: await loadKubeconfig(path, credentialFiles),
    kit: { clock: new SystemClock(), logger: silentLogger, random: Math.random },
    limits: { calls: UNLIMITED, events: UNLIMITED },
    heartbeatTimeoutMs: 10_000,
    process: { userAgent: 'kubelet-ts-live-test', environment: {} },
    readClient: undefined,
    observe: undefined,
  });
}

function toCluster({ api }: ApiClient): Cluster {
  const nodeName = requireVariable('KUBELET_TS_NODE');
  const kubectl = async (...args: readonly string[]): Promise<string> => (await run('kubectl', args)).stdout;
  return {
    api,
    nodeName,
    kubectl,
    apply: async (namespace, ...objects) => {
      const running = run('kubectl', ['-n', namespace, 'apply', '-f', '-']);
      running.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await running;
    },
    node: async () => {
      const node = await api.get<Node>({ resource: NODES, name: nodeName });
      assert.ok(node, `the cluster has no node "${nodeName}"`);
      return node;
    },
    pods: async (namespace, labelSelector) => {
      const selector = labelSelector === undefined ? {} : { labelSelector };
      return (await api.list<Pod>({ resource: PODS, namespace, ...selector })).items;
    },
  };
}

/** Set by live.sh. */
export function requireVariable(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run these tests with "make cluster-test"`);
  return value;
}

/** Asks until the answer is neither false nor undefined; a question that fails is asked again. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | false | undefined> | T | false | undefined,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let problem: unknown; ; ) {
    try {
      const answer = await ask();
      if (answer !== false && answer !== undefined) return answer;
      problem = undefined;
    } catch (error) {
      problem = error;
    }
    if (performance.now() > deadline)
      throw new Error(`no sign of ${what} within ${timeoutMs} ms`, { cause: problem });
    await delay(POLL_MS);
  }
}

export function conditionOf(
  object: Pod | Node,
  type: string,
): { status: string; lastTransitionTime?: string } | undefined {
  return object.status?.conditions?.find((each) => each.type === type);
}

export function isReady(object: Pod | Node): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

/** All pods that the selector names, once there are `count` of them and each is ready. */
export function waitForReadyPods(
  cluster: Cluster,
  namespace: string,
  count: number,
  labelSelector?: string,
): Promise<readonly Pod[]> {
  return waitFor(
    `${count} ready pods in "${namespace}"`,
    async () => {
      const pods = await cluster.pods(namespace, labelSelector);
      return pods.length === count && pods.every(isReady) && pods;
    },
    240_000,
  );
}
