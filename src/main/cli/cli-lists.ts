/** `get volumes`, `get nodes`, `get configmaps` and `get secrets`: what the pods of this node use. No values. */
import type { Pod } from '../../core/api/pod.ts';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import { toEnvironmentReferences } from '../../core/spec/environment-references.ts';
import type { TopReport } from '../../core/stats/top.ts';
import { toVolumeObjects } from '../../core/volume/volume-objects.ts';
import { toVolumeRows } from '../../core/volume/volume-rows.ts';
import type { AboutNode } from '../../server/local-server.ts';
import type { CliPod } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readPods, toPodFilter } from './cli-pod.ts';
import { toUsageCells } from './cli-top.ts';
import { printList } from './print-list.ts';
import { comparePods } from './show/render-pods.ts';

async function readWanted(context: CliContext): Promise<readonly CliPod[]> {
  return (await readPods(context)).filter(toPodFilter(context)).toSorted(comparePods);
}

export async function listVolumes(context: CliContext): Promise<number> {
  const items = toVolumeRows(await readWanted(context));
  return printList(context, {
    word: 'volume',
    items,
    titles: ['NAMESPACE', 'POD', 'NAME', 'KIND', 'CONTAINERS'],
    toCells: ({ namespace, pod, name, kind, containers }) => [
      ...[namespace, pod, name, kind],
      containers.join(', ') || '<none>',
    ],
    toName: ({ pod, name }) => `${pod}/${name}`,
  });
}

export async function listNodes(context: CliContext): Promise<number> {
  const { client } = context;
  const [{ node }, { version }] = await Promise.all([
    client.getJson<TopReport>('/top'),
    client.getJson<AboutNode>('/about'),
  ]);
  const { history: _, ...numbers } = node;
  const items = [{ ...numbers, version, pods: (await readPods(context)).length }];
  return printList(context, {
    word: 'node',
    items,
    titles: ['NAME', 'PODS', 'CPU(cores)', 'MEMORY(bytes)', 'VERSION'],
    toCells: (item) => [item.name, String(item.pods), ...toUsageCells(item), item.version],
    toName: ({ name }) => name,
  });
}

export function listConfigMaps(context: CliContext): Promise<number> {
  return listObjects(context, 'configmap');
}

export function listSecrets(context: CliContext): Promise<number> {
  return listObjects(context, 'secret');
}

/** The objects by name, and who uses them: what is in them is not asked for. */
async function listObjects(context: CliContext, kind: 'configmap' | 'secret'): Promise<number> {
  const uses = (await readWanted(context)).flatMap((pod) =>
    toUsedNames(pod, kind).map((name) => ({
      namespace: pod.metadata.namespace,
      name,
      pod: pod.metadata.name,
    })),
  );
  const groups = Map.groupBy(uses, ({ namespace, name }) => `${namespace}/${name}`);
  const items = [...groups.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [{ namespace: first.namespace, name: first.name, usedBy: same.map(({ pod }) => pod) }];
  });
  return printList(context, {
    word: kind,
    items,
    titles: ['NAMESPACE', 'NAME', 'USED BY'],
    toCells: ({ namespace, name, usedBy }) => [namespace, name, usedBy.join(', ')],
    toName: ({ name }) => name,
  });
}

function toUsedNames(pod: CliPod, kind: 'configmap' | 'secret'): string[] {
  const shown = toVolumeObjects(pod as Pod).filter((object) => object.kind === kind);
  const inEnvironment = allContainersOf(pod).flatMap((container) => {
    const { configMaps, secrets } = toEnvironmentReferences(container);
    return kind === 'secret' ? secrets : configMaps;
  });
  const pulls = kind === 'secret' ? (pod.spec.imagePullSecrets ?? []).map(({ name }) => name) : [];
  const names = [...shown.map(({ name }) => name), ...inEnvironment, ...pulls];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))].toSorted() as string[];
}
