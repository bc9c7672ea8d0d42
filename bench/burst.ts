/**
 * What a burst costs the kubelet: CPU time to start many static pods at once
 * and to end them, and its memory before, between and after.
 *
 * Several programs take turns, round by round, as only such figures can be compared.
 *
 * usage: node bench/burst.ts [--endpoint=unix://…] [--program=bin/kubelet]… [--rounds=1] [--pods=30] [--settle=10]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess, type LogLine } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';

const DEADLINE_MS = 180_000;

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    program: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '1' },
    pods: { type: 'string', default: '30' },
    settle: { type: 'string', default: '10' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const endpoint = values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
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

/** Reads the log only: asking the kubelet would cost it something. */
async function untilLogged(
  kubelet: KubeletProcess,
  isCounted: (line: LogLine) => boolean,
  wanted: number,
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (kubelet.lines.filter(isCounted).length < wanted) {
    if (performance.now() > deadline) throw new Error(`not all of ${wanted} within ${DEADLINE_MS / 1000}s`);
    const end = await Promise.race([kubelet.ended, delay(100)]);
    if (end !== undefined) throw new Error(`the kubelet ended with exit code ${end.code}`);
  }
}

async function measure(kubelet: KubeletProcess, work: () => Promise<void>): Promise<Cost> {
  const before = await readCpuMs(kubelet.pid);
  await work();
  const cpuMs = (await readCpuMs(kubelet.pid)) - before;
  await delay(settleMs);
  return { cpuMs: cpuMs / count, residentMiB: await readResidentMiB(kubelet.pid) };
}

async function burst(kubelet: KubeletProcess): Promise<Burst> {
  await untilLogged(kubelet, ({ msg }) => msg === 'kubelet started', 1);
  await delay(settleMs);
  const restMiB = await readResidentMiB(kubelet.pid);
  const start = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await kubelet.writeManifest(`pod-${i}.yaml`, manifest(`pod-${i}`));
    const isReady = ({ msg, state }: LogLine) =>
      msg === 'pod status' && String(state).startsWith('Running, Ready');
    await untilLogged(kubelet, isReady, count);
  });
  const end = await measure(kubelet, async () => {
    for (let i = 0; i < count; i++) await kubelet.removeManifest(`pod-${i}.yaml`);
    await untilLogged(kubelet, ({ msg }) => msg === 'pod gone', count);
  });
  return { restMiB, start, end };
}

async function run(program: string | undefined): Promise<Burst> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-burst-'));
  const chosen = program === undefined ? {} : { program };
  const kubelet = new KubeletProcess({
    directory,
    endpoint,
    nodeName: 'burst',
    config: { maxPods: 500 },
    ...chosen,
  });
  try {
    await kubelet.start();
    return await burst(kubelet);
  } finally {
    await kubelet.stop();
    await unmountBelow(directory);
    await removeCgroupRoot(kubelet.cgroupRoot);
    await rm(directory, { recursive: true, force: true });
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
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const program of values.program ?? [undefined]) print(program ?? 'bin/kubelet', await run(program));
}
