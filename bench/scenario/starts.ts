/** How long pods take to start and to end, what that costs the kubelet, and what it costs at rest. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Node } from '../../src/core/api/node.ts';
import { NODES } from '../../src/ports/cluster/api-resource.ts';
import { isReady, waitFor } from '../../test/cluster/live/cluster.ts';
import { countId, type Samples } from '../metrics.ts';
import { nowMs } from '../pod-times.ts';
import { median } from '../report/statistics.ts';
import type { BenchNode } from './bench-node.ts';

/** Between two single pods, so that each meets a kubelet at rest. */
const PAUSE_MS = 300;

/** Node unknown, process started: until the API server shows it ready. */
export async function measureBoot({ cluster, kubelet }: BenchNode): Promise<Samples> {
  await kubelet.kill();
  await cluster.api.delete({ resource: NODES, name: cluster.nodeName });
  const stop = new AbortController();
  const ready = Promise.withResolvers<number>();
  const take = (node: Node | undefined): void => {
    if (node !== undefined && isReady(node)) ready.resolve(performance.now());
  };
  const query = { resource: NODES, fieldSelector: `metadata.name=${cluster.nodeName}` };
  const following = cluster.api.follow<Node>(query).run(stop.signal, {
    onReplace: ([node]) => take(node),
    onEvent: (type, node) => type !== 'DELETED' && take(node),
  });
  const beganMs = performance.now();
  kubelet.start();
  const boot = (await ready.promise) - beganMs;
  stop.abort();
  await following;
  return { boot: [boot] };
}

export async function measureRest(node: BenchNode): Promise<Samples> {
  await node.untilCalm();
  const cpu = await node.millicores();
  return { [countId(0, 'rest-cpu')]: [cpu], [countId(0, 'memory')]: [await node.residentMiB()] };
}

/** Single pods, one after the other. */
export async function measureOne(node: BenchNode): Promise<Samples> {
  const samples = { 'one.ready': [] as number[], 'one.first': [] as number[], 'one.gone': [] as number[] };
  // The first pod of a process pays for what is loaded with it.
  for (const name of node.names(node.plan.repeats + 1)) {
    const beganMs = await node.create([name]);
    const [readyMs = Number.NaN] = await node.times.until([name], 'ready');
    const firstMs = await node.firstInstructionMs(await node.pod(name));
    await delay(PAUSE_MS);
    const [goneMs = Number.NaN] = await node.remove([name]);
    await delay(PAUSE_MS);
    samples['one.ready'].push(readyMs - beganMs);
    samples['one.first'].push(firstMs - beganMs);
    samples['one.gone'].push(goneMs);
  }
  return Object.fromEntries(Object.entries(samples).map(([id, values]) => [id, values.slice(1)]));
}

/** Every number of pods of the plan: all at once, at rest, all gone at once. */
export async function measureBursts(node: BenchNode): Promise<Samples> {
  const all: Record<string, readonly number[]> = {};
  for (const pods of node.plan.counts) Object.assign(all, await measureBurst(node, pods));
  return all;
}

async function measureBurst(node: BenchNode, pods: number): Promise<Samples> {
  const names = node.names(pods);
  let readyMs: readonly number[] = [];
  let goneMs: readonly number[] = [];
  const started = await measureWork(node, pods, async () => {
    const beganMs = await node.create(names);
    readyMs = (await node.times.until(names, 'ready')).map((atMs) => atMs - beganMs);
  });
  await node.untilCalm();
  const restCpu = await node.millicores();
  const memory = await node.residentMiB();
  const stopped = await measureWork(node, pods, async () => {
    goneMs = await node.remove(names);
  });
  const numbers = {
    'ready-p50': median(readyMs) / 1000,
    'ready-all': Math.max(...readyMs) / 1000,
    'start-cpu': started.cpuMs / 1000,
    'rest-cpu': restCpu,
    memory,
    'gone-all': Math.max(...goneMs) / 1000,
    'stop-cpu': stopped.cpuMs / 1000,
    'start-calls': started.calls,
    'stop-calls': stopped.calls,
    'start-writes': started.writes,
    'stop-writes': stopped.writes,
  };
  return Object.fromEntries(Object.entries(numbers).map(([key, value]) => [countId(pods, key), [value]]));
}

interface Work {
  readonly cpuMs: number;
  /** Per pod. */
  readonly calls: number;
  readonly writes: number;
}

async function measureWork(node: BenchNode, pods: number, work: () => Promise<void>): Promise<Work> {
  const before = await node.port.runtimeCalls();
  node.readWrites();
  const cpuMs = await node.cpuOf(work);
  const writes = node.readWrites().length / pods;
  return { cpuMs, calls: ((await node.port.runtimeCalls()) - before) / pods, writes };
}

const DEATH_PODS = 30;

/** The kubelet is killed beside running pods and started at once; the next pod, and what became of the others. */
export async function measureDeath(node: BenchNode): Promise<Samples> {
  const stay = node.names(DEATH_PODS);
  await node.start(stay);
  await node.untilCalm();
  const changesBefore = node.times.changes.length;
  const [name = ''] = node.names(1);
  const killedMs = nowMs();
  await node.kubelet.kill();
  node.kubelet.start();
  await node.create([name]);
  const [readyMs = Number.NaN] = await node.times.until([name], 'ready');
  await node.untilCalm();
  const changes = node.times.changes.slice(changesBefore).filter((line) => !line.startsWith(`${name}:`));
  await waitFor('the kubelet to answer', () => node.port.runtimeCalls().then(() => true));
  await node.remove([...stay, name]);
  return { 'death.ready': [readyMs - killedMs], 'death.changes': [changes.length] };
}
