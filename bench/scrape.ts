/**
 * What it costs a kubelet to be scraped: all four paths of metrics every ten
 * seconds, as Prometheus does it, with many pods. The upstream kubelet starts
 * the pods and is measured; then ours takes the same pods over and is measured.
 *
 * usage (root): node bench/scrape.ts [--pods=100] [--seconds=60] [--endpoint=unix://…] --upstream=/path/to/kubelet
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { makeCgroupRoot } from '../test/cluster/compared-kubelet.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';

const PATHS = ['/metrics', '/metrics/cadvisor', '/metrics/resource', '/metrics/probes'];
const INTERVAL_MS = 10_000;
/** Scrapes of the paths are apart, as Prometheus spreads them. */
const APART_MS = 2_500;
const SETTLE_MS = 20_000;
const READY_DEADLINE_MS = 300_000;

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    endpoint: { type: 'string' },
    upstream: { type: 'string' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const endpoint = values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
const podCount = Number(values.pods);
const windowMs = Number(values.seconds) * 1000;

interface Scraped {
  readonly bytes: number;
  readonly ms: number;
}

/** The size on the wire: compressed, as Prometheus asks for it. */
function scrape(port: number, path: string): Promise<Scraped> {
  const startedMs = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip' };
    get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve({ bytes, ms: performance.now() - startedMs }));
      response.on('error', reject);
    }).on('error', reject);
  });
}

async function scrapeFor(port: number, ms: number): Promise<ReadonlyMap<string, Scraped>> {
  const last = new Map<string, Scraped>();
  const endMs = performance.now() + ms;
  while (performance.now() < endMs)
    for (const path of PATHS) {
      last.set(path, await scrape(port, path));
      await delay(APART_MS);
    }
  return last;
}

/** Millicores while `work` runs. */
async function measure(kubelet: KubeletProcess, work: () => Promise<unknown>): Promise<number> {
  const [beforeMs, beganMs] = [await readCpuMs(kubelet.pid), performance.now()];
  await work();
  return (((await readCpuMs(kubelet.pid)) - beforeMs) / (performance.now() - beganMs)) * 1000;
}

async function untilRunning(kubelet: KubeletProcess, count: number): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    const pods = await kubelet.pods().catch(() => undefined);
    const running = pods?.filter(({ status }) => status.phase === 'Running').length;
    if (pods?.length === count && running === count) return;
    if (performance.now() > deadline) throw new Error(`${running} of ${count} pods run`);
    await delay(500);
  }
}

async function bench(name: string, kubelet: KubeletProcess): Promise<void> {
  await kubelet.start();
  await untilRunning(kubelet, podCount);
  await delay(SETTLE_MS);
  const idle = await measure(kubelet, () => delay(windowMs / 2));
  const idleMiB = await readResidentMiB(kubelet.pid);
  await scrapeFor(kubelet.readOnlyPort, INTERVAL_MS);
  let last: ReadonlyMap<string, Scraped> = new Map();
  const scraped = await measure(kubelet, async () => {
    last = await scrapeFor(kubelet.readOnlyPort, windowMs);
  });
  const residentMiB = await readResidentMiB(kubelet.pid);
  const show = (value: number, digits = 1): string => value.toFixed(digits).padStart(7);
  console.log(
    `${name.padEnd(10)} ${podCount} pods  idle ${show(idle)} millicores ${show(idleMiB)} MiB  scraped ${show(scraped)} millicores ${show(residentMiB)} MiB`,
  );
  for (const [path, { bytes, ms }] of last)
    console.log(`${''.padEnd(10)} ${path.padEnd(18)} ${show(bytes / 1024)} KiB ${show(ms, 0)} ms`);
}

function manifest(name: string): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  const container = { name: 'main', image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent', command };
  const spec = { terminationGracePeriodSeconds: 2, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

const directory = await mkdtemp(join(tmpdir(), 'kubelet-scrape-'));
const config = { maxPods: podCount + 10, makeIPTablesUtilChains: false, imageGCHighThresholdPercent: 100 };
const settings = { directory, endpoint, nodeName: 'scrape', config };
const ours = new KubeletProcess(settings);
await makeCgroupRoot(ours.cgroupRoot);
try {
  await mkdir(ours.manifestDir, { recursive: true });
  for (let i = 0; i < podCount; i++) await ours.writeManifest(`pod-${i}.json`, manifest(`pod-${i}`));
  if (values.upstream !== undefined) {
    const flags = [`--containerd=${endpoint.replace('unix://', '')}`];
    const upstream = new KubeletProcess({ ...settings, program: values.upstream, flags });
    await bench('upstream', upstream);
    await upstream.stop();
  }
  await bench('kubelet-ts', ours);
  for (let i = 0; i < podCount; i++) await ours.removeManifest(`pod-${i}.json`);
  await untilRunning(ours, 0);
} finally {
  await ours.stop();
  await removeCgroupRoot(ours.cgroupRoot);
  await unmountBelow(directory);
  await rm(directory, { recursive: true, force: true });
}
