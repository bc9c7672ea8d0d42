/**
 * The machine as the node of a cluster: its kubelet is a unit of systemd, its
 * API server a fake out here, which sees and keeps what the node reports when
 * the machine itself is down.
 */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeStatus } from '../../../src/core/api/node.ts';
import type { Pod } from '../../../src/core/api/pod.ts';
import type { PodStatus } from '../../../src/core/api/pod-status.ts';
import { defaultPod } from '../../../src/core/manifest/default-pod.ts';
import type { JsonObject } from '../../fakes/fake-api-patch.ts';
import { toCollection } from '../../fakes/fake-api-path.ts';
import { FakeApiServer } from '../../fakes/fake-api-server.ts';
import type { SamplePod } from '../../integration/sample-pods.ts';
import { eventually } from './eventually.ts';
import type { Machine } from './machine.ts';
import { NamespacedMachine } from './namespaced-machine.ts';
import { VirtualMachine } from './virtual-machine.ts';

export const NODES = toCollection('', 'v1', 'nodes');
export const PODS = toCollection('', 'v1', 'pods', 'default');
const NODE_NAME = 'vm-node';
const DIRECTORY = '/payload/node';
/** The machine's way to this host. */
const HOST_INSIDE = '10.0.2.2';
/** Generous: on a host with other work the machine gets a fraction of a processor. */
const DEADLINE_MS = 1_800_000;

export class VmNode {
  readonly machine: Machine =
    process.env['VM_KIND'] === 'namespaces' ? new NamespacedMachine() : new VirtualMachine();
  readonly api = new FakeApiServer();

  /** First boot: brings the configuration in, then starts the node. */
  async start(config: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.api.start();
    await this.machine.boot();
    await this.configure(config);
    await this.machine.agent.write(`${DIRECTORY}/plan`, 'DRIVER=systemd\n');
    await this.machine.agent.start('/bin/systemctl', 'start', 'vm-node.service');
    await this.waitNodeReady();
  }

  async configure(config: Readonly<Record<string, unknown>>): Promise<void> {
    const { agent } = this.machine;
    await agent.script(`mkdir -p ${DIRECTORY}/manifests`);
    await agent.write(`${DIRECTORY}/kubeconfig.json`, JSON.stringify(toKubeconfig(this.api.port)));
    await agent.write(`${DIRECTORY}/config.json`, JSON.stringify(toConfiguration(config)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine.cutPower();
    await this.api.stop();
  }

  /** As API server and scheduler leave it: with the defaults, and bound to this node. */
  createPod({ metadata, spec }: SamplePod): string {
    const uid = randomUUID();
    const bound = { ...spec, nodeName: NODE_NAME, automountServiceAccountToken: false };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, uid }, spec: bound };
    this.api.store.create(PODS, defaultPod(pod as unknown as Pod) as unknown as JsonObject);
    return uid;
  }

  pods(): Pod[] {
    return this.api.store.list(PODS) as unknown as Pod[];
  }

  podStatus(name: string): PodStatus {
    return this.pods().find(({ metadata }) => metadata.name === name)?.status ?? {};
  }

  nodeCondition(type: string): NonNullable<NodeStatus['conditions']>[number] | undefined {
    const [node] = this.api.store.list(NODES) as { status?: NodeStatus }[];
    return node?.status?.conditions?.find((one) => one.type === type);
  }

  /**
   * What the node reported after `version` of the store, not what is left of an earlier boot. No times are compared:
   * the clock inside may be slow.
   */
  waitNodeReady(version = '0'): Promise<unknown> {
    return eventually(
      'the node to be ready',
      () => {
        const [node] = this.api.store.list(NODES);
        const isNews = Number(node?.metadata.resourceVersion ?? 0) > Number(version);
        return isNews && this.nodeCondition('Ready')?.status === 'True';
      },
      DEADLINE_MS,
    );
  }

  waitForPod(name: string, what: string, fits: (status: PodStatus) => boolean): Promise<PodStatus> {
    return eventually(
      `pod "${name}" to be ${what}`,
      () => {
        const status = this.podStatus(name);
        return fits(status) && status;
      },
      DEADLINE_MS,
    );
  }

  waitReady(name: string): Promise<PodStatus> {
    return this.waitForPod(name, 'ready', isReady);
  }

  /** Rejects as `body` does, after keeping the kubelet's log out here, in a file of that name. */
  async keepLogOfFailure(name: string, body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      const file = join(tmpdir(), name);
      await writeFile(file, await this.log().catch(String));
      process.stdout.write(`the log of the kubelet is kept in ${file}\n`);
      throw error;
    }
  }

  /** The kubelet's log from all boots. */
  async log(): Promise<string> {
    return this.machine.agent.script(`cat ${DIRECTORY}/kubelet.log`);
  }
}

export function isReady(status: PodStatus): boolean {
  return (status.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
}

function toConfiguration(config: Readonly<Record<string, unknown>>): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///payload/host/instances/systemd/containerd.sock',
    staticPodPath: `${DIRECTORY}/manifests`,
    podLogsDir: `${DIRECTORY}/logs`,
    cgroupDriver: 'systemd',
    // In namespaces of a host the version is the host's.
    failCgroupV1: false,
    clusterDNS: ['10.96.0.10'],
    logging: { format: 'json' },
    // An emulated machine on a busy host is slow.
    runtimeRequestTimeout: '15m',
    nodeStatusReportFrequency: '10s',
    nodeStatusUpdateFrequency: '5s',
    // In namespaces the disk is the host's, and others fill it.
    evictionHard: { 'memory.available': '100Mi' },
    imageGCHighThresholdPercent: 100,
    // The fake API server answers no questions about callers.
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    ...config,
  };
}

function toKubeconfig(port: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `http://${HOST_INSIDE}:${port}` } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: {} }],
    'current-context': 'c',
  };
}
