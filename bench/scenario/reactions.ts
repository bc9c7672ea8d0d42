/** How soon the kubelet sees and mends what happens to running pods. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CONFIG_MAPS } from '../../src/ports/cluster/api-resource.ts';
import { waitFor } from '../../test/cluster/live/cluster.ts';
import type { Samples } from '../metrics.ts';
import { nowMs } from '../pod-times.ts';
import type { BenchNode } from './bench-node.ts';

const PAUSE_MS = 300;
const LOOK_MS = 5;
/** The upstream kubelet looks at ConfigMaps once a minute or two. */
const CONFIG_MAP_LIMIT_MS = 240_000;

/** Processes are killed one at a time, each once: a second end would meet the back-off. */
export async function measureEnds(node: BenchNode): Promise<Samples> {
  return { 'exit.status': await measureExits(node), 'crash.restart': await measureCrashes(node) };
}

async function measureExits(node: BenchNode): Promise<readonly number[]> {
  const names = node.names(node.plan.repeats);
  await node.start(names, { spec: { restartPolicy: 'Never' } });
  const took: number[] = [];
  for (const name of names) {
    await delay(PAUSE_MS);
    const killedMs = await killMain(node, name);
    const [endedMs = Number.NaN] = await node.times.until([name], 'ended');
    took.push(endedMs - killedMs);
  }
  await node.remove(names);
  return took;
}

async function measureCrashes(node: BenchNode): Promise<readonly number[]> {
  const names = node.names(node.plan.repeats);
  await node.start(names);
  const took: number[] = [];
  for (const name of names) {
    await delay(PAUSE_MS);
    const pod = await node.pod(name);
    const killedMs = await killMain(node, name);
    const upMs = await waitFor(`the next process of "${name}"`, async () => {
      const firstMs = await node.firstInstructionMs(pod, 1);
      return !Number.isNaN(firstMs) && firstMs;
    });
    took.push(upMs - killedMs);
  }
  await node.remove(names);
  return took;
}

/** Kills the first process of the pod's only container; returns when. */
async function killMain(node: BenchNode, name: string): Promise<number> {
  const { status } = await node.pod(name);
  const id = status?.containerStatuses?.[0]?.containerID ?? '';
  const pid = await node.runtime.pidOf(id.replace('containerd://', ''));
  const killedMs = nowMs();
  process.kill(pid, 'SIGKILL');
  return killedMs;
}

/** Each pod has a ConfigMap of its own; what its container sees is looked at in the pod's directory. */
export async function measureConfigMaps(node: BenchNode): Promise<Samples> {
  const { api } = node.cluster;
  const { namespace, plan } = node;
  const names = node.names(Math.ceil(plan.repeats / 2));
  const volume = (name: string) => ({ volumes: [{ name: 'config', configMap: { name } }] });
  const mount = { volumeMounts: [{ name: 'config', mountPath: '/config' }] };
  for (const name of names) {
    await api.create(CONFIG_MAPS, { metadata: { name, namespace }, data: { text: 'before' } });
    await node.create([name], { spec: volume(name), container: mount });
  }
  await node.times.until(names, 'ready');
  await node.untilCalm();
  const took = await Promise.all(
    names.map(async (name) => {
      const { uid = '' } = (await node.pod(name)).metadata;
      const root = node.kubelet.argument('--root-dir');
      const path = join(root, 'pods', uid, 'volumes/kubernetes.io~configmap/config/text');
      const changedMs = nowMs();
      await api.patch(
        { resource: CONFIG_MAPS, namespace, name },
        { data: { text: 'after' } },
        { kind: 'merge' },
      );
      for (
        const endMs = nowMs() + CONFIG_MAP_LIMIT_MS;
        (await readFile(path, 'utf8')) !== 'after';
        await delay(LOOK_MS)
      )
        if (nowMs() > endMs) throw new Error(`the change did not reach pod "${name}"`);
      return nowMs() - changedMs;
    }),
  );
  await node.remove(names);
  return { 'config-map': took };
}
