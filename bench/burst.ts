/**
 * What a burst costs the kubelet: CPU time to start many static pods at once
 * and to end them, and its memory before, between and after. On a real runtime
 * or, with `--model`, beside one that runs nothing; with `--api` the pods come
 * from a model of an API server and have tokens, as most pods do.
 *
 * Several programs take turns, round by round, as only such figures can be compared.
 *
 * usage: node bench/burst.ts [--endpoint=unix://… | --model] [--api] [--program=bin/kubelet]… [--rounds=1] [--pods=30] [--settle=3]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { type Candidate, toCandidate, withKubelet } from './candidate.ts';
import { ModelCluster } from './model/model-cluster.ts';
import { startModelRuntime } from './model/start-model-runtime.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';
import { RuntimeWatch } from './runtime-watch.ts';

const DEADLINE_MS = 600_000;

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    model: { type: 'boolean', default: false },
    api: { type: 'boolean', default: false },
    program: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '1' },
    pods: { type: 'string', default: '30' },
    settle: { type: 'string', default: '3' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const count = Number(values.pods);
const nodeName = `bench-${process.pid}`;
const settleMs = Number(values.settle) * 1000;

interface Cost {
  readonly cpuMs: number;
  readonly residentMiB: number;
}

interface Burst {
  readonly restMiB: number;
  readonly start: Cost;
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

function fromFiles(kubelet: KubeletProcess, watch: RuntimeWatch): Source {
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

function fromCluster(cluster: ModelCluster, { nodeName }: KubeletProcess): Source {
  return {
    add: async (name) => cluster.createPod(nodeName, name, SPEC),
    remove: async (name) => cluster.deletePod(name),
    untilStarted: () => cluster.untilReady(count, DEADLINE_MS),
    untilEnded: () => cluster.untilGone(DEADLINE_MS),
  };
}

/** The time to settle counts: what a burst leaves to be done is part of it. */
async function measure(kubelet: KubeletProcess, work: () => Promise<void>): Promise<Cost> {
  const before = await readCpuMs(kubelet.pid);
  await work();
  await delay(settleMs);
  const cpuMs = (await readCpuMs(kubelet.pid)) - before;
  return { cpuMs: cpuMs / count, residentMiB: await readResidentMiB(kubelet.pid) };
}

async function untilHealthy(kubelet: KubeletProcess): Promise<void> {
  for (;;) {
    const { status } = await kubelet.health('/healthz').catch(() => ({ status: 0 }));
    if (status === 200) return;
    const end = await Promise.race([kubelet.ended, delay(100)]);
    if (end !== undefined) throw new Error(`the kubelet ended with exit code ${end.code}`);
  }
}

async function burst(kubelet: KubeletProcess, source: Source): Promise<Burst> {
  await delay(settleMs);
  const restMiB = await readResidentMiB(kubelet.pid);
  const start = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await source.add(`pod-${i}`);
    await source.untilStarted();
  });
  const end = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await source.remove(`pod-${i}`);
    await source.untilEnded();
  });
  return { restMiB, start, end };
}

async function run(candidate: Candidate): Promise<Burst> {
  await using model = values.model ? await startModelRuntime() : undefined;
  await using cluster = values.api ? await ModelCluster.start(nodeName) : undefined;
  const endpoint =
    model?.endpoint ?? values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
  const watch = new RuntimeWatch(endpoint);
  const node = { endpoint, nodeName, kubeconfig: cluster?.kubeconfig };
  try {
    return await withKubelet(candidate, node, async (kubelet) => {
      await untilHealthy(kubelet);
      await cluster?.untilNodeReady(DEADLINE_MS);
      return burst(
        kubelet,
        cluster === undefined ? fromFiles(kubelet, watch) : fromCluster(cluster, kubelet),
      );
    });
  } finally {
    await watch.removeStopped();
    await watch.close();
  }
}

function print(what: string, { restMiB, start, end }: Burst): void {
  const [started, ended] = [start, end].map(({ cpuMs }) => `${cpuMs.toFixed(1)} ms`);
  const memory = [restMiB, start.residentMiB, end.residentMiB].map((mib) => mib.toFixed(1)).join(', ');
  const both = (start.cpuMs + end.cpuMs).toFixed(1);
  console.log(
    `${what}: CPU per pod ${both} ms (start ${started}, end ${ended}); ${memory} MiB before, between, after`,
  );
}

console.log(`${count} pods at once`);
const programs = values.program ?? [undefined];
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const candidate of programs.map(toCandidate)) print(candidate.name, await run(candidate));
}
