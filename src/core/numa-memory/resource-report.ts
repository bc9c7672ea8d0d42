/**
 * Who has what of the machine: the CPUs and the memory of each NUMA node, and
 * devices, each with its owner. For people; a line of it is one owner's part.
 */

import type { CpuPolicy } from '../cpus/cpu-policy.ts';
import { ascending, type CpuSet, renderCpuSet } from '../cpus/cpu-set.ts';
import type { CpuState } from '../cpus/cpu-state.ts';
import type { MachineLayout, NumaNode } from '../cpus/machine-layout.ts';
import type { PodUid } from '../model/ids.ts';
import type { MemoryState } from './memory-state.ts';

/** Some CPUs of a node; the owner is `shared`, `reserved` or a container. */
export interface ReportedCpus {
  /** A list such as `0-3,8`. */
  readonly cpus: string;
  readonly owner: string;
}

export interface ReportedMemory {
  /** `memory` or `hugepages-2Mi`. */
  readonly type: string;
  readonly bytes: number;
  readonly owner: string;
}

export interface ReportedNode {
  readonly id: number;
  readonly sockets: readonly number[];
  readonly cpus: readonly ReportedCpus[];
  /** Of several nodes together it stands under the first. */
  readonly memory: readonly ReportedMemory[];
}

export interface ReportedDevice {
  readonly resource: string;
  readonly id: string;
  readonly numaNodes: readonly number[];
  /** A container, `free` or `unhealthy`. */
  readonly owner: string;
}

export interface ResourceReport {
  readonly cpuPolicy: 'none' | 'static';
  readonly memoryPolicy: 'None' | 'Static';
  readonly topologyPolicy: string;
  readonly nodes: readonly ReportedNode[];
  readonly devices: readonly ReportedDevice[];
}

export interface ReportSources {
  readonly layout: MachineLayout;
  readonly cpuPolicy: CpuPolicy | undefined;
  readonly cpus: CpuState;
  readonly memory: MemoryState;
  /** A container as people know it. */
  readonly nameOf: (uid: PodUid, container: string) => string;
}

export function reportNodes(sources: ReportSources): ReportedNode[] {
  return sources.layout.nodes.map((node) => {
    const own = sources.layout.cpus.filter((one) => one.node === node.id);
    return {
      id: node.id,
      sockets: ascending(new Set(own.map(({ socket }) => socket))),
      cpus: reportCpus(sources, new Set(own.map(({ cpu }) => cpu))),
      memory: reportMemory(sources, node),
    };
  });
}

function reportCpus({ cpuPolicy, cpus, nameOf }: ReportSources, ofNode: CpuSet): ReportedCpus[] {
  const reserved = cpuPolicy?.reserved ?? new Set<number>();
  const isShared = cpuPolicy === undefined ? ofNode : cpus.shared.intersection(ofNode);
  const containers = [...cpus.assigned].flatMap(([uid, ofPod]) =>
    [...ofPod].map(([name, set]) => [nameOf(uid, name), set] as const),
  );
  const parts: readonly (readonly [owner: string, cpus: CpuSet])[] = [
    ['reserved', reserved.difference(isShared)],
    ['reserved, shared', reserved.intersection(isShared)],
    ...containers,
    ['shared', isShared.difference(reserved)],
  ];
  return parts.flatMap(([owner, set]) => {
    const here = set.intersection(ofNode);
    return here.size === 0 ? [] : [{ cpus: renderCpuSet(here), owner }];
  });
}

function reportMemory({ memory, nameOf }: ReportSources, node: NumaNode): ReportedMemory[] {
  const state = memory.nodes.get(node.id);
  if (state === undefined) return [{ type: 'memory', bytes: node.memoryBytes, owner: 'shared' }];
  const given = [...memory.assigned].flatMap(([uid, ofPod]) =>
    [...ofPod].flatMap(([name, blocks]) =>
      blocks
        .filter(({ nodes, size }) => nodes[0] === node.id && size > 0)
        .map(({ type, size, nodes }) => {
          const wide = nodes.length > 1 ? ` (nodes ${nodes.join(',')})` : '';
          return { type, bytes: size, owner: `${nameOf(uid, name)}${wide}` };
        }),
    ),
  );
  const rest = [...state.tables].flatMap(([type, { systemReserved, free }]) => [
    { type, bytes: systemReserved, owner: 'reserved' },
    { type, bytes: free, owner: 'free' },
  ]);
  return [...given, ...rest].filter(({ bytes }) => bytes > 0);
}
