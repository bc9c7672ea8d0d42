/** `get resources`: the machine as a small map, node by node, with who has what. */
import { renderSize } from '../../core/collection/image-collection.ts';
import type { ResourceReport } from '../../core/numa-memory/resource-report.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

const TITLES = ['NUMA NODE', 'RESOURCE', 'AMOUNT', 'OWNER'];

export async function listResources({ client, asked, host }: CliContext): Promise<number> {
  const { options } = asked;
  const report = await client.getJson<ResourceReport>('/resources');
  if (isDocument(options.output)) {
    printText(host.stdout, await renderDocument(report, options.output));
    return 0;
  }
  const titles = options.noHeaders ? [] : [TITLES];
  printText(host.stdout, renderTable([...titles, ...toResourceRows(report)]));
  const { cpuPolicy, memoryPolicy, topologyPolicy } = report;
  printText(
    host.stderr,
    `CPU policy ${cpuPolicy}, memory policy ${memoryPolicy}, topology policy ${topologyPolicy}.\n`,
  );
  return 0;
}

function toResourceRows({ nodes, devices }: ResourceReport): string[][] {
  const ofNodes = nodes.flatMap(({ id, cpus, memory }) => [
    ...cpus.map((part) => [`${id}`, 'cpu', part.cpus, part.owner]),
    ...memory.map(({ type, bytes, owner }) => [`${id}`, type, renderSize(bytes), owner]),
  ]);
  const ofDevices = devices.map(({ resource, id, numaNodes, owner }) => [
    numaNodes.join(',') || '-',
    resource,
    id,
    owner,
  ]);
  return [...ofNodes, ...ofDevices];
}

/** By container, in a few words; the pod's containers are owners by the name of the pod and their own. */
export function toAssigned(
  { nodes, devices }: ResourceReport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Record<string, string> {
  const parts = [
    ...nodes.flatMap(({ id, cpus, memory }) => [
      ...cpus.map((part) => [part.owner, `CPUs ${part.cpus} of node ${id}`] as const),
      ...memory.map(
        ({ owner, type, bytes }) => [owner, `${renderSize(bytes)} ${type} of node ${id}`] as const,
      ),
    ]),
    ...devices.map(({ owner, resource, id }) => [owner, `${resource} ${id}`] as const),
  ];
  const assigned = new Map<string, string[]>();
  for (const [owner, text] of parts) {
    const [pod, container] = owner.split(' ');
    if (pod !== `${namespace}/${name}` || container === undefined) continue;
    assigned.set(container, [...(assigned.get(container) ?? []), text]);
  }
  return Object.fromEntries([...assigned].map(([container, texts]) => [container, texts.join(', ')]));
}
