/**
 * Two forms of the same kubelet beside each other, such as bin/kubelet and the
 * file of `make dist`: how long it takes to its version, to "started", and what
 * it holds at rest. Alternating, so that both see the same machine.
 *
 * usage: node bench/forms.ts --endpoint=unix://… [--rounds=5] [--settle=10] PROGRAM…
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';
import { readResidentMiB } from './process-cost.ts';

interface Cost {
  readonly versionMs: number;
  readonly startedMs: number;
  readonly residentMiB: number;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    endpoint: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    settle: { type: 'string', default: '10' },
  },
});

async function measure(program: string, endpoint: string): Promise<Cost> {
  const asked = performance.now();
  execFileSync(program, ['--version']);
  const versionMs = performance.now() - asked;
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-forms-'));
  const kubelet = new KubeletProcess({ directory, endpoint, nodeName: 'forms', program });
  try {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _listener = kubelet.onLine(({ msg }) => msg === 'kubelet started' && resolve());
    const began = performance.now();
    await kubelet.start();
    await Promise.race([promise, kubelet.ended]);
    const startedMs = performance.now() - began;
    await delay(Number(values.settle) * 1000);
    return { versionMs, startedMs, residentMiB: await readResidentMiB(kubelet.pid) };
  } finally {
    await kubelet.stop();
    await removeCgroupRoot(kubelet.cgroupRoot);
    await unmountBelow(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

const median = (numbers: readonly number[]): string =>
  (numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN).toFixed(1);

const { endpoint } = values;
if (endpoint === undefined || positionals.length === 0)
  throw new Error('usage: forms.ts --endpoint=unix://… PROGRAM…');
const costs = new Map<string, Cost[]>(positionals.map((program) => [program, []]));
for (let round = 0; round < Number(values.rounds); round++)
  for (const [program, list] of costs) list.push(await measure(program, endpoint));
for (const [program, list] of costs) {
  const of = (key: keyof Cost): string => median(list.map((cost) => cost[key]));
  console.log(
    `${program}: --version ${of('versionMs')} ms, started ${of('startedMs')} ms, at rest ${of('residentMiB')} MiB`,
  );
}
