/**
 * What a burst costs the kubelet: CPU time to start many static pods at once
 * and to end them, and its memory before, between and after.
 *
 * usage: node bench/burst.ts [--endpoint=unix://…] [--program=bin/kubelet] [--pods=30]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { readCpuMs, readResidentMiB } from './process-cost.ts';

const SETTLE_MS = 10_000;
const DEADLINE_MS = 180_000;

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    program: { type: 'string' },
    pods: { type: 'string', default: '30' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const count = Number(values.pods);

const directory = await mkdtemp(join(tmpdir(), 'kubelet-burst-'));
const kubelet = new KubeletProcess({
  directory,
  endpoint: values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`,
  nodeName: 'burst',
  config: { maxPods: 500 },
  ...(values.program === undefined ? {} : { program: values.program }),
});

function manifest(name: string): object {
  const command = ['/bin/tini', '--', 'sleep', 'infinity'];
  const container = { name: 'main', image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent', command };
  const spec = { terminationGracePeriodSeconds: 1, containers: [container] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

/** Reads the log only: asking the kubelet would cost it something. */
async function untilLogged(isCounted: (line: KubeletProcess['lines'][number]) => boolean, wanted: number) {
  const deadline = performance.now() + DEADLINE_MS;
  while (kubelet.lines.filter(isCounted).length < wanted) {
    if (performance.now() > deadline) throw new Error(`not all of ${wanted} within ${DEADLINE_MS / 1000}s`);
    const end = await Promise.race([kubelet.ended, delay(100)]);
    if (end !== undefined) throw new Error(`the kubelet ended with exit code ${end.code}`);
  }
}

async function measure(what: string, work: () => Promise<void>): Promise<string> {
  const [before, began] = [await readCpuMs(kubelet.pid), performance.now()];
  await work();
  const cpuMs = (await readCpuMs(kubelet.pid)) - before;
  const seconds = (performance.now() - began) / 1000;
  await delay(SETTLE_MS);
  const memory = (await readResidentMiB(kubelet.pid)).toFixed(1);
  return `${what} ${count} pods: ${cpuMs.toFixed(0)} ms of CPU in ${seconds.toFixed(1)} s, then ${memory} MiB`;
}

try {
  await kubelet.start();
  await untilLogged(({ msg }) => msg === 'kubelet started', 1);
  await delay(SETTLE_MS);
  console.log(`at rest: ${(await readResidentMiB(kubelet.pid)).toFixed(1)} MiB`);
  const started = await measure('start', async () => {
    for (let i = 0; i < count; i++) await kubelet.writeManifest(`pod-${i}.yaml`, manifest(`pod-${i}`));
    await untilLogged(
      ({ msg, state }) => msg === 'pod status' && String(state).startsWith('Running, Ready'),
      count,
    );
  });
  console.log(started);
  const ended = await measure('end', async () => {
    for (let i = 0; i < count; i++) await kubelet.removeManifest(`pod-${i}.yaml`);
    await untilLogged(({ msg }) => msg === 'pod gone', count);
  });
  console.log(ended);
} finally {
  await kubelet.stop();
  await unmountBelow(directory);
  await removeCgroupRoot(kubelet.cgroupRoot);
  await rm(directory, { recursive: true, force: true });
}
