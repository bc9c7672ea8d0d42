/**
 * What a burst costs the kubelet: CPU time to start many static pods at once
 * and to end them, and its memory before, between and after. On a real runtime
 * or, with `--model`, beside one that runs nothing.
 *
 * Several programs take turns, round by round, as only such figures can be compared.
 *
 * usage: node bench/burst.ts [--endpoint=unix://… | --model] [--program=bin/kubelet]… [--rounds=1] [--pods=30] [--settle=3]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { type Candidate, toCandidate, withKubelet } from './candidate.ts';
import { startModelRuntime } from './model/start-model-runtime.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';
import { RuntimeWatch } from './runtime-watch.ts';

const DEADLINE_MS = 600_000;

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    model: { type: 'boolean', default: false },
    program: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '1' },
    pods: { type: 'string', default: '30' },
    settle: { type: 'string', default: '3' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const count = Number(values.pods);
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

function manifest(name: string): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  const container = { name: 'main', image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent', command };
  const spec = { terminationGracePeriodSeconds: 1, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
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

async function burst(kubelet: KubeletProcess, watch: RuntimeWatch): Promise<Burst> {
  await untilHealthy(kubelet);
  await delay(settleMs);
  const restMiB = await readResidentMiB(kubelet.pid);
  const start = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await kubelet.writeManifest(`pod-${i}.yaml`, manifest(`pod-${i}`));
    await watch.untilRunning(count, DEADLINE_MS);
  });
  const end = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await kubelet.removeManifest(`pod-${i}.yaml`);
    await watch.untilStopped(DEADLINE_MS);
  });
  return { restMiB, start, end };
}

async function run(candidate: Candidate): Promise<Burst> {
  await using model = values.model ? await startModelRuntime() : undefined;
  const endpoint =
    model?.endpoint ?? values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
  const watch = new RuntimeWatch(endpoint);
  try {
    return await withKubelet(candidate, endpoint, (kubelet) => burst(kubelet, watch));
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
