/**
 * Where the processors of the machine go while many pods start and end at once
 * on the node of the test cluster: by program, in milliseconds of CPU per pod.
 * What no program that lives on has used (runc, mounts, the kernel) is the rest.
 *
 * usage: test/cluster/live.sh --script bench/shares.ts [PODS]      (after make cluster-up, or KUBELET=upstream make cluster-up)
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiRequest } from '../test/cluster/live/audit-log.ts';
import { withCluster } from '../test/cluster/live/cluster.ts';
import { Daemon } from '../test/cluster/live/daemon.ts';
import { toPlan } from './plan.ts';
import { readCpuMs } from './process-cost.ts';
import { median } from './report/statistics.ts';
import { BenchNode } from './scenario/bench-node.ts';

const SETTLE_MS = 3_000;
const MS_PER_TICK = 10;
/** Per pod; what used less is not shown. */
const LEAST_MS = 0.5;
const pods = Number(process.argv[2] ?? 30);

interface Program {
  readonly name: string;
  readonly cpuMs: number;
}

/** By pid, what has lived until now. */
async function readPrograms(kubelet: number): Promise<Map<number, Program>> {
  const programs = new Map<number, Program>();
  for (const pid of (await readdir('/proc')).map(Number).filter((one) => one > 0))
    try {
      const comm = (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
      const name = new Map([
        [kubelet, 'kubelet'],
        [process.pid, 'the benchmark'],
      ]).get(pid);
      programs.set(pid, { name: name ?? comm, cpuMs: await readCpuMs(pid) });
    } catch {
      // It has ended meanwhile.
    }
  return programs;
}

/** What all processors have worked so far, in milliseconds. */
async function readMachine(): Promise<number> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) * MS_PER_TICK;
}

async function measure(what: string, kubelet: number, work: () => Promise<readonly number[]>): Promise<void> {
  const [programs, machine] = [await readPrograms(kubelet), await readMachine()];
  const times = await work();
  await delay(SETTLE_MS);
  const shares = new Map<string, number>();
  let known = 0;
  for (const [pid, { name, cpuMs }] of await readPrograms(kubelet)) {
    const used = cpuMs - (programs.get(pid)?.cpuMs ?? 0);
    known += used;
    shares.set(name, (shares.get(name) ?? 0) + used);
  }
  const all = (await readMachine()) - machine;
  shares.set('the rest', all - known);
  const seconds = [median(times), Math.max(...times)].map((ms) => `${(ms / 1000).toFixed(2)} s`);
  console.log(
    `${what} of ${pods} pods: p50 and all ${seconds.join(', ')}; CPU per pod ${(all / pods).toFixed(0)} ms`,
  );
  for (const [name, ms] of [...shares].sort(([, a], [, b]) => b - a))
    if (ms / pods >= LEAST_MS) console.log(`  ${name.padEnd(24)} ${(ms / pods).toFixed(1)}`);
}

function printWrites(requests: readonly ApiRequest[]): void {
  const kinds = Map.groupBy(
    requests,
    ({ verb, resource, subresource }) => `${verb} ${resource} ${subresource}`,
  );
  for (const [kind, { length }] of kinds) console.log(`  ${(length / pods).toFixed(1)} ${kind}`);
}

await withCluster(async (cluster, namespace) => {
  await using node = new BenchNode(cluster, namespace, Daemon.find('kubelet-cluster'), toPlan([], {}));
  const { pid } = node.kubelet;
  await node.start(node.names(2));
  await node.untilCalm();
  node.readWrites();
  const names = node.names(pods);
  await measure('start', Number(pid), async () => {
    const beganMs = await node.create(names);
    return (await node.times.until(names, 'ready')).map((atMs) => atMs - beganMs);
  });
  printWrites(node.readWrites());
  await node.untilCalm();
  await measure('end', Number(pid), () => node.remove(names));
  printWrites(node.readWrites());
});
