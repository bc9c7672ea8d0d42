/**
 * One kubelet that starts and ends many pods at once, with what that costs it:
 * on a real runtime or beside models of a runtime and of an API server, whose
 * pods have tokens, as most pods do.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { type Candidate, withKubelet } from './candidate.ts';
import { ModelCluster } from './model/model-cluster.ts';
import { startModelRuntime } from './model/start-model-runtime.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';
import { RuntimeWatch } from './runtime-watch.ts';

const DEADLINE_MS = 600_000;
const REST_MS = 20_000;

export interface BurstSettings {
  readonly pods: number;
  /** Counts with what it follows: what a burst leaves to be done is part of it. */
  readonly settleMs: number;
  /** Undefined: beside the model of a runtime. */
  readonly endpoint: string | undefined;
  /** Pods of a model of an API server instead of static ones. */
  readonly hasApi: boolean;
  /** Also measures a while in which nothing happens. */
  readonly measuresRest?: boolean;
}

export interface Cost {
  /** Of each pod. */
  readonly cpuMs: number;
  readonly residentMiB: number;
}

export interface Burst {
  readonly restMiB: number;
  readonly start: Cost;
  /** With all pods; thousandths of a core. */
  readonly restMillicores: number | undefined;
  readonly end: Cost;
}

const SPEC = {
  terminationGracePeriodSeconds: 1,
  containers: [
    {
      name: 'main',
      image: 'localhost/busybox:1',
      imagePullPolicy: 'IfNotPresent',
      command: ['/bin/tini', '--', 'sleep', 'infinity'],
    },
  ],
};

/** Where pods come from. */
interface Source {
  add(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  untilStarted(): Promise<void>;
  untilEnded(): Promise<void>;
}

function fromFiles(kubelet: KubeletProcess, watch: RuntimeWatch, count: number): Source {
  return {
    async add(name) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: SPEC };
      await kubelet.writeManifest(`${name}.yaml`, pod);
    },
    async remove(name) {
      await kubelet.removeManifest(`${name}.yaml`);
    },
    untilStarted: () => watch.untilRunning(count, DEADLINE_MS),
    untilEnded: () => watch.untilStopped(DEADLINE_MS),
  };
}

function fromCluster(cluster: ModelCluster, { nodeName }: KubeletProcess, count: number): Source {
  return {
    add: async (name) => cluster.createPod(nodeName, name, SPEC),
    remove: async (name) => cluster.deletePod(name),
    untilStarted: () => cluster.untilReady(count, DEADLINE_MS),
    untilEnded: () => cluster.untilGone(DEADLINE_MS),
  };
}

export async function runBurst(candidate: Candidate, settings: BurstSettings): Promise<Burst> {
  const { pods } = settings;
  const nodeName = `bench-${process.pid}`;
  await using model = settings.endpoint === undefined ? await startModelRuntime() : undefined;
  await using cluster = settings.hasApi ? await ModelCluster.start(nodeName) : undefined;
  const endpoint = settings.endpoint ?? model?.endpoint ?? '';
  const watch = new RuntimeWatch(endpoint);
  const node = { endpoint, nodeName, kubeconfig: cluster?.kubeconfig };
  try {
    return await withKubelet(candidate, node, async (kubelet) => {
      await untilHealthy(kubelet);
      await cluster?.untilNodeReady(DEADLINE_MS);
      const source =
        cluster === undefined ? fromFiles(kubelet, watch, pods) : fromCluster(cluster, kubelet, pods);
      return measureBurst(kubelet, source, settings);
    });
  } finally {
    await watch.removeStopped();
    await watch.close();
  }
}

async function measureBurst(
  kubelet: KubeletProcess,
  source: Source,
  settings: BurstSettings,
): Promise<Burst> {
  const { pods, settleMs, measuresRest = false } = settings;
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`);
  const measure = async (work: () => Promise<void>): Promise<Cost> => {
    const before = await readCpuMs(kubelet.pid);
    await work();
    await delay(settleMs);
    const cpuMs = (await readCpuMs(kubelet.pid)) - before;
    return { cpuMs: cpuMs / pods, residentMiB: await readResidentMiB(kubelet.pid) };
  };
  await delay(settleMs);
  const restMiB = await readResidentMiB(kubelet.pid);
  const start = await measure(async () => {
    for (const name of names) await source.add(name);
    await source.untilStarted();
  });
  const restMillicores = measuresRest ? await measureRest(kubelet) : undefined;
  const end = await measure(async () => {
    for (const name of names) await source.remove(name);
    await source.untilEnded();
  });
  return { restMiB, start, restMillicores, end };
}

async function measureRest(kubelet: KubeletProcess): Promise<number> {
  const before = await readCpuMs(kubelet.pid);
  await delay(REST_MS);
  return (((await readCpuMs(kubelet.pid)) - before) / REST_MS) * 1000;
}

async function untilHealthy(kubelet: KubeletProcess): Promise<void> {
  for (;;) {
    const { status } = await kubelet.health('/healthz').catch(() => ({ status: 0 }));
    if (status === 200) return;
    const end = await Promise.race([kubelet.ended, delay(100)]);
    if (end !== undefined) throw new Error(`the kubelet ended with exit code ${end.code}`);
  }
}
