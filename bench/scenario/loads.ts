/** What steady work costs the kubelet: probes, scrapes, pods that come and go. */
import { setTimeout as delay } from 'node:timers/promises';
import { DEMO_WEB } from '../../test/integration/sample-pods.ts';
import type { Samples } from '../metrics.ts';
import { readCpuMs } from '../process-cost.ts';
import type { Course } from '../report/render-plot.ts';
import { fitLine } from '../report/statistics.ts';
import type { BenchNode, PodShape } from './bench-node.ts';

const EXEC: PodShape = { container: { livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1 } } };
const HTTP: PodShape = {
  container: {
    image: DEMO_WEB,
    command: undefined,
    livenessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
  },
};

/** Half of the pods are probed by a program, half by HTTP. */
export async function measureProbes(node: BenchNode): Promise<Samples> {
  const half = node.plan.loadPods / 2;
  const [exec, http] = [node.names(Math.ceil(half)), node.names(Math.floor(half))];
  await node.start(exec, EXEC);
  await node.start(http, HTTP);
  await node.untilCalm();
  const before = node.times.changes.length;
  const cpu = await node.millicores();
  const changes = node.times.changes.length - before;
  await node.remove([...exec, ...http]);
  return { 'probes.cpu': [cpu], 'probes.changes': [changes] };
}

const PATHS = ['/metrics', '/metrics/cadvisor', '/metrics/resource', '/metrics/probes'];
const SCRAPE_EVERY_MS = 10_000;
const GZIP = { 'accept-encoding': 'gzip' };

/** Every path every ten seconds, one apart from the other, as Prometheus does it. */
export async function measureScrapes(node: BenchNode): Promise<Samples> {
  const names = node.names(node.plan.loadPods);
  await node.start(names);
  await node.untilCalm();
  let bytes = 0;
  const scrape = async (endMs: number): Promise<void> => {
    do {
      bytes = 0;
      for (const path of PATHS) {
        const [began, { bytes: size }] = [performance.now(), await node.port.scrape(path, GZIP)];
        bytes += size;
        await delay(Math.max(0, SCRAPE_EVERY_MS / PATHS.length - (performance.now() - began)));
      }
    } while (performance.now() < endMs);
  };
  await scrape(0);
  const cpu = await node.millicores(scrape);
  const memory = await node.residentMiB();
  await node.remove(names);
  return { 'scrape.cpu': [cpu], 'scrape.memory': [memory], 'scrape.size': [bytes / 1024] };
}

const CHURN_PODS = 20;
const CHURN_STEP = 10;
const SAMPLE_EVERY_MS = 5_000;
/** How much of the time the heap gets to find its size. */
const WARM_UP = 0.2;
const HOUR_S = 3600;

export interface Churn {
  readonly samples: Samples;
  readonly course: Course;
}

/** The oldest pods go and new ones come, again and again; memory is read all the while. */
export async function measureChurn(node: BenchNode): Promise<Churn> {
  const beganMs = performance.now();
  const endMs = beganMs + node.plan.churnMs;
  const course: (readonly [number, number])[] = [];
  const reading = (async () => {
    for (; performance.now() < endMs; await delay(SAMPLE_EVERY_MS))
      course.push([(performance.now() - beganMs) / 1000, await node.residentMiB()]);
  })();
  const pods = [...node.names(CHURN_PODS)];
  await node.start(pods);
  const cpuBefore = await readCpuMs(node.kubelet.pid);
  let turned = 0;
  while (performance.now() < endMs) {
    const fresh = node.names(CHURN_STEP);
    await Promise.all([node.remove(pods.splice(0, CHURN_STEP)), node.start(fresh)]);
    pods.push(...fresh);
    turned += CHURN_STEP;
  }
  const cpuMs = (await readCpuMs(node.kubelet.pid)) - cpuBefore;
  await reading;
  await node.remove(pods);
  const settled = course.slice(Math.floor(course.length * WARM_UP));
  const { slope, margin } = fitLine(settled);
  return {
    course,
    samples: {
      'churn.slope': [slope * HOUR_S],
      'churn.margin': [margin * HOUR_S],
      'churn.rate': [cpuMs / turned],
    },
  };
}
