/** The same pods without a kubelet: straight through the runtime, four at a time. No kubelet can be faster. */
import { join } from 'node:path';
import { requireVariable } from '../../test/cluster/live/cluster.ts';
import { countId, type Samples } from '../metrics.ts';
import type { Plan } from '../plan.ts';
import { median } from '../report/statistics.ts';
import { RuntimeWatch } from '../runtime-watch.ts';

const AT_ONCE = 4;

export async function measureFloor({ counts, repeats }: Plan): Promise<Samples> {
  const host = requireVariable('KUBELET_TS_HOST_DIR');
  const runtime = new RuntimeWatch(`unix://${join(host, 'instances/cluster/containerd.sock')}`);
  try {
    const one: Work[] = [];
    for (let n = 0; n < repeats; n++) one.push(await measureCount(runtime, 1));
    const samples: Record<string, readonly number[]> = {
      'one.first': one.map(({ started }) => started[0] ?? Number.NaN),
      'one.gone': one.map(({ goneMs }) => goneMs),
    };
    for (const pods of counts) {
      const { started, goneMs } = await measureCount(runtime, pods);
      samples[countId(pods, 'ready-p50')] = [median(started) / 1000];
      samples[countId(pods, 'ready-all')] = [Math.max(...started) / 1000];
      samples[countId(pods, 'gone-all')] = [goneMs / 1000];
    }
    return samples;
  } finally {
    await runtime.close();
  }
}

interface Work {
  /** When each was started, since the begin. */
  readonly started: readonly number[];
  readonly goneMs: number;
}

async function measureCount(runtime: RuntimeWatch, pods: number): Promise<Work> {
  const beganMs = performance.now();
  const numbers = Array.from({ length: pods }, (_, n) => n);
  const made = await inTurns(numbers, async (n) => {
    const id = await runtime.runPod(`floor-${n}`);
    return { id, atMs: performance.now() - beganMs };
  });
  const endedMs = performance.now();
  await inTurns(made, ({ id }) => runtime.removePod(id));
  return { started: made.map(({ atMs }) => atMs), goneMs: performance.now() - endedMs };
}

/** Four at a time. */
async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) results.push(await work(item));
    }),
  );
  return results;
}
