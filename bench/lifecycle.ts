/**
 * How quickly a kubelet sees and mends what happens to its containers, and
 * what probes cost it. First every container of some pods is killed once, one
 * at a time: how long until the status says so, and until its successor runs.
 * Then containers with one-second probes of all kinds run for a while: the
 * CPU time of the kubelet, and whether anything was restarted.
 *
 * usage: node bench/lifecycle.ts [--endpoint=unix://…] [--kills=100] [--probes=50] [--seconds=120]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess, type ListedPod } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { type CriConnection, connectCri } from '../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../src/adapters/linux/machine/system-clock.ts';
import { createLogger } from '../src/base/log.ts';
import { toContainerId } from '../src/core/model/ids.ts';
import { startGrpcHealth } from './grpc-health.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';

const CONTAINERS_PER_POD = 4;
const DEADLINE_MS = 300_000;
/** Between two kills, so that each meets a node at rest. */
const PAUSE_MS = 100;

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    kills: { type: 'string', default: '100' },
    probes: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '120' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const endpoint = values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;

function busybox(name: string, more: object = {}): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  return { name, image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent', command, ...more };
}

function manifest(name: string, containers: readonly object[], more: object = {}): object {
  const spec = { terminationGracePeriodSeconds: 2, containers, ...more };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

async function waitFor<T>(what: string, probe: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (performance.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await delay(5);
  }
}

/** Runs the pods, calls `body` once all are ready, and takes them away again. */
async function withPods<T>(
  kubelet: KubeletProcess,
  pods: readonly object[],
  body: (pods: readonly ListedPod[]) => Promise<T>,
): Promise<T> {
  for (const [index, pod] of pods.entries()) await kubelet.writeManifest(`pod-${index}.json`, pod);
  const ready = await waitFor('all pods to be ready', async () => {
    const listed = await kubelet.pods().catch(() => []);
    const isReady = ({ status }: ListedPod): boolean =>
      status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
    return listed.length === pods.length && listed.every(isReady) ? listed : undefined;
  });
  await delay(2_000);
  const result = await body(ready);
  for (const index of pods.keys()) await kubelet.removeManifest(`pod-${index}.json`);
  await waitFor('all pods to be gone', async () => ((await kubelet.pods()).length === 0 ? true : undefined));
  return result;
}

interface Reaction {
  readonly statusMs: number;
  readonly restartMs: number;
}

/** Kills the first process of one container. */
async function measureKill(
  kubelet: KubeletProcess,
  { client }: CriConnection,
  podUid: string,
  containerID: string,
): Promise<Reaction> {
  const id = toContainerId(containerID.replace('containerd://', ''));
  const { info, status } = await client.call('containerStatus', { containerId: id, verbose: true });
  const { pid } = JSON.parse(info['info'] ?? '{}') as { pid: number };
  const name = status?.metadata?.name;
  const from = kubelet.lines.length;
  const killedAtMs = Date.now();
  process.kill(pid, 'SIGKILL');
  const seen = await waitFor('the status', () =>
    kubelet.lines.slice(from).find((line) => line.msg === 'pod status' && line['podUid'] === podUid),
  );
  const started = await waitFor('the next start', () =>
    kubelet.lines
      .slice(from)
      .find(
        (line) =>
          line.msg === 'event' &&
          line['reason'] === 'Started' &&
          line['podUid'] === podUid &&
          line['object'] === `spec.containers{${name}}`,
      ),
  );
  return { statusMs: seen.ts - killedAtMs, restartMs: started.ts - killedAtMs };
}

async function measureKills(kubelet: KubeletProcess, cri: CriConnection): Promise<void> {
  const count = Number(values.kills);
  const names = Array.from({ length: CONTAINERS_PER_POD }, (_, index) => `c${index}`);
  const pods = Array.from({ length: Math.ceil(count / CONTAINERS_PER_POD) }, (_, index) =>
    manifest(
      `kill-${index}`,
      names.map((name) => busybox(name)),
    ),
  );
  const reactions = await withPods(kubelet, pods, async (listed) => {
    const found: Reaction[] = [];
    // Once each: a second end would meet the back-off.
    for (const name of names) {
      for (const { metadata, status } of listed) {
        const { containerID = '' } = status.containerStatuses?.find((each) => each.name === name) ?? {};
        if (found.length >= count) return found;
        found.push(await measureKill(kubelet, cri, metadata.uid, containerID));
        await delay(PAUSE_MS);
      }
    }
    return found;
  });
  report(
    'process exit → status published',
    reactions.map(({ statusMs }) => statusMs),
  );
  report(
    'process exit → successor started',
    reactions.map(({ restartMs }) => restartMs),
  );
}

function report(what: string, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  console.log(
    `${what.padEnd(34)} p50 ${at(0.5)} ms  p90 ${at(0.9)} ms  p99 ${at(0.99)} ms  max ${at(1)} ms  (${samples.length} samples, load ${loadavg()[0]?.toFixed(1)})`,
  );
}

async function measureProbes(kubelet: KubeletProcess): Promise<void> {
  const count = Number(values.probes);
  const grpc = await startGrpcHealth();
  const web = { name: 'main', image: 'localhost/demo-web:1', imagePullPolicy: 'IfNotPresent' };
  const kinds = [
    (probe: object) =>
      manifest('', [busybox('main', { livenessProbe: { ...probe, exec: { command: ['true'] } } })]),
    (probe: object) =>
      manifest('', [{ ...web, livenessProbe: { ...probe, httpGet: { path: '/healthz', port: 8080 } } }]),
    (probe: object) => manifest('', [{ ...web, livenessProbe: { ...probe, tcpSocket: { port: 8080 } } }]),
    (probe: object) =>
      manifest('', [busybox('main', { livenessProbe: { ...probe, grpc: { port: grpc.port } } })], {
        hostNetwork: true,
      }),
  ];
  const pods = Array.from({ length: count }, (_, index) => ({
    ...kinds[index % kinds.length]?.({ periodSeconds: 1 }),
    metadata: { name: `probe-${index}` },
  }));
  const from = kubelet.lines.length;
  const millicores = await withPods(kubelet, pods, async () => {
    const [before, began] = [await readCpuMs(kubelet.pid), performance.now()];
    await delay(Number(values.seconds) * 1000);
    return (((await readCpuMs(kubelet.pid)) - before) / (performance.now() - began)) * 1000;
  });
  grpc.close();
  const lines = kubelet.lines.slice(from).filter(({ msg }) => msg === 'event');
  const unhealthy = lines.filter(({ reason }) => reason === 'Unhealthy');
  const killed = lines.filter(({ reason, message }) => reason === 'Killing' && /probe/.test(String(message)));
  for (const { message } of [...killed, ...unhealthy].slice(0, 5)) console.log(`  ${message}`);
  console.log(
    `${count} containers with 1 s probes, ${values.seconds} s: ${millicores.toFixed(0)} millicores, ${(await readResidentMiB(kubelet.pid)).toFixed(0)} MiB, ${killed.length} restarts, ${unhealthy.length} bad answers (load ${loadavg()[0]?.toFixed(1)})`,
  );
}

const directory = await mkdtemp(join(tmpdir(), 'kubelet-lifecycle-'));
const kubelet = new KubeletProcess({ directory, endpoint, nodeName: `life${process.pid}` });
const logger = createLogger({
  format: 'text',
  verbosity: 0,
  now: Date.now,
  pid: process.pid,
  write: () => {},
});
const cri = connectCri({ endpoint, requestTimeoutMs: 30_000, clock: new SystemClock(), logger });
try {
  await kubelet.start();
  if (Number(values.kills) > 0) await measureKills(kubelet, cri);
  if (Number(values.probes) > 0) await measureProbes(kubelet);
} catch (error) {
  for (const line of kubelet.lines.slice(-20)) console.error(JSON.stringify(line));
  throw error;
} finally {
  await kubelet.stop();
  await cri.close();
  await removeCgroupRoot(kubelet.cgroupRoot);
  await unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
}
