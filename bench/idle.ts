/**
 * What a kubelet costs while nothing happens: resident memory and CPU time
 * over a while, without pods and with some, for ours and for an upstream
 * kubelet one after the other on the same runtime.
 *
 * usage: node bench/idle.ts [--endpoint=unix://…] [--upstream=/path/to/kubelet] [--pods=10] [--seconds=60]
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';

const CGROUP_MOUNT = '/sys/fs/cgroup';
/** A kubelet ends what it does not know below its cgroup root, so each run has one of its own. */
const CGROUP_ROOT = 'kubelet-ts-idle';
const SETTLE_MS = 10_000;
const READY_DEADLINE_MS = 60_000;

interface Candidate {
  readonly name: string;
  readonly program?: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

interface Cost {
  readonly candidate: string;
  readonly pods: number;
  readonly residentMiB: number;
  readonly cpuMillicores: number;
}

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    upstream: { type: 'string' },
    pods: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '60' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const endpoint = values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
const windowMs = Number(values.seconds) * 1000;

async function measure({ name, program, config }: Candidate): Promise<Cost[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-idle-'));
  const kubelet = new KubeletProcess({
    directory,
    endpoint,
    nodeName: 'idle',
    ...(program === undefined ? {} : { program }),
    ...(config === undefined ? {} : { config }),
  });
  try {
    await kubelet.start();
    await until(kubelet, 0);
    const costs = [await readCost(kubelet, name, 0)];
    const count = Number(values.pods);
    for (let i = 0; i < count; i++) await kubelet.writeManifest(`pod-${i}.yaml`, manifest(`pod-${i}`));
    await until(kubelet, count);
    costs.push(await readCost(kubelet, name, count));
    for (let i = 0; i < count; i++) await kubelet.removeManifest(`pod-${i}.yaml`);
    await until(kubelet, 0);
    return costs;
  } catch (error) {
    for (const line of kubelet.lines.slice(-20)) console.error(JSON.stringify(line));
    throw error;
  } finally {
    await kubelet.stop();
    await unmountBelow(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

function manifest(name: string): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  const container = { name: 'main', image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent', command };
  const spec = { terminationGracePeriodSeconds: 2, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

/** Waits until exactly `count` pods are listed and all of them are ready. */
async function until(kubelet: KubeletProcess, count: number): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    const pods = await kubelet.pods().catch(() => undefined);
    const ready = pods?.filter(({ status }) =>
      status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
    );
    if (pods?.length === count && ready?.length === count) return;
    if (performance.now() > deadline)
      throw new Error(`${ready?.length} of ${count} pods are ready after 60s`);
    const end = await Promise.race([kubelet.ended, delay(200)]);
    if (end !== undefined) throw new Error(`the kubelet ended with exit code ${end.code}`);
  }
}

async function readCost(kubelet: KubeletProcess, candidate: string, pods: number): Promise<Cost> {
  await delay(SETTLE_MS);
  const before = await readCpuMs(kubelet.pid);
  const began = performance.now();
  await delay(windowMs);
  const cpuMs = (await readCpuMs(kubelet.pid)) - before;
  const cpuMillicores = (cpuMs / (performance.now() - began)) * 1000;
  const cost = { candidate, pods, residentMiB: await readResidentMiB(kubelet.pid), cpuMillicores };
  console.log(
    `${candidate.padEnd(10)} ${String(pods).padStart(3)} pods  ${cost.residentMiB.toFixed(1).padStart(6)} MiB  ${cpuMillicores.toFixed(1).padStart(6)} millicores`,
  );
  return cost;
}

/** Makes the cgroup in every hierarchy; an older cpuset is unusable until it has CPUs and memory. */
async function makeCgroupRoot(): Promise<string[]> {
  const isUnified = existsSync(join(CGROUP_MOUNT, 'cgroup.controllers'));
  const hierarchies = isUnified ? [''] : await readdir(CGROUP_MOUNT);
  const made: string[] = [];
  for (const hierarchy of hierarchies) {
    const parent = join(CGROUP_MOUNT, hierarchy);
    const directory = join(parent, CGROUP_ROOT);
    if (
      !(await mkdir(directory, { recursive: true }).then(
        () => true,
        () => false,
      ))
    )
      continue;
    made.push(directory);
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (existsSync(join(parent, file)))
        await writeFile(join(directory, file), await readFile(join(parent, file)));
    }
  }
  return made;
}

async function removeCgroups(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) await removeCgroups(join(directory, entry.name));
  }
  // The kernel frees a cgroup a moment after its last process is gone.
  for (let attempt = 0; attempt < 20; attempt++) {
    if (
      await rmdir(directory).then(
        () => true,
        () => false,
      )
    )
      return;
    await delay(100);
  }
}

/** The upstream kubelet stops listing pods before their sandboxes are gone; ours ends what no source wants. */
async function endLeftovers(config: Candidate['config']): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-idle-'));
  const kubelet = new KubeletProcess({ directory, endpoint, nodeName: 'idle', config: config ?? {} });
  const count = (text: string): number => kubelet.lines.filter(({ msg }) => msg.startsWith(text)).length;
  await kubelet.start();
  await until(kubelet, 0);
  const deadline = performance.now() + READY_DEADLINE_MS;
  do await delay(1_000);
  while (count('pod gone') < count('the runtime has a pod') && performance.now() < deadline);
  await kubelet.stop();
  await unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
}

const config = { cgroupRoot: `/${CGROUP_ROOT}` };
const cgroups = await makeCgroupRoot();
try {
  await measure({ name: 'kubelet-ts', config });
  if (values.upstream !== undefined) {
    await measure({
      name: 'upstream',
      program: values.upstream,
      config: { ...config, enforceNodeAllocatable: [] },
    });
    await endLeftovers(config);
  }
} finally {
  for (const directory of cgroups) await removeCgroups(directory);
}
