/** What was measured of the node itself, as the summary shows it. */
import type { CgroupSample, MachineSample } from './samples.ts';
import { toStatsTime } from './stats-time.ts';
import type { ContainerStats, FsStats, NetworkStats, NodeStats, RlimitStats, Summary } from './summary.ts';
import type { Usage } from './to-usage.ts';

export type SystemContainerName = 'kubelet' | 'runtime' | 'misc' | 'pods';

/** A cgroup of the node that is no pod's. */
export interface SystemCgroup {
  readonly name: SystemContainerName;
  /** `own` is the one that the agent runs in. */
  readonly path: string;
  /** Undefined for the time when the cgroup was made. */
  readonly startedAtMs: number | undefined;
}

export interface SystemContainerReading {
  readonly name: SystemContainerName;
  readonly startedAtMs: number;
  readonly usage: Usage;
}

export interface NodeReading {
  readonly nodeName: string;
  readonly machine: MachineSample;
  readonly usage: Usage;
  readonly systemContainers: readonly SystemContainerReading[];
  /** Undefined when only CPU and memory were read. */
  readonly places: NodePlaces | undefined;
}

export interface NodePlaces {
  readonly fs: FsStats;
  /** Undefined for a runtime that names no file system. */
  readonly imageFs: FsStats | undefined;
  readonly containerFs: FsStats | undefined;
  readonly network: NetworkStats | undefined;
}

export function toNodeStats({ nodeName, machine, usage, systemContainers, places }: NodeReading): NodeStats {
  return {
    nodeName,
    systemContainers: systemContainers.map(toSystemContainer),
    startTime: toStatsTime(machine.bootAtMs),
    ...usage,
    ...(places && toPlaces(places, machine)),
  };
}

function toPlaces(
  { fs, imageFs, containerFs, network }: NodePlaces,
  machine: MachineSample,
): Pick<NodeStats, 'fs' | 'runtime' | 'network' | 'rlimit'> {
  return {
    ...(network && { network }),
    fs,
    runtime: { ...(imageFs && { imageFs }), ...(containerFs && { containerFs }) },
    rlimit: toRlimit(machine),
  };
}

function toRlimit({ atMs, maxPid, tasks }: MachineSample): RlimitStats {
  return {
    time: toStatsTime(atMs),
    ...(maxPid === undefined ? {} : { maxpid: maxPid }),
    ...(tasks === undefined ? {} : { curproc: tasks }),
  };
}

function toSystemContainer({ name, startedAtMs, usage }: SystemContainerReading): ContainerStats {
  return { name, startTime: toStatsTime(startedAtMs), ...usage };
}

/**
 * The root cgroup has no limits of its own: what it may use is the machine. In
 * version 2 it does not count its memory either.
 */
export function withMachineLimits(
  { memory, ...sample }: CgroupSample,
  totals: { readonly memoryBytes: number; readonly swapBytes: number; readonly swapFreeBytes: number },
): CgroupSample {
  if (memory === undefined) return sample;
  const swapBytes = memory.swapBytes ?? Math.max(0, totals.swapBytes - totals.swapFreeBytes);
  return {
    ...sample,
    memory: { ...memory, limitBytes: totals.memoryBytes, swapBytes, swapLimitBytes: totals.swapBytes },
  };
}

/** CPU, memory and swap alone. */
export function toCpuAndMemory({ node, pods }: Summary): Summary {
  return {
    node: {
      nodeName: node.nodeName,
      ...(node.systemContainers && { systemContainers: node.systemContainers.map(toBareContainer) }),
      startTime: node.startTime,
      ...toBareUsage(node),
    },
    pods: pods.map((pod) => ({
      podRef: pod.podRef,
      startTime: pod.startTime,
      containers: pod.containers.map(toBareContainer),
      ...toBareUsage(pod),
    })),
  };
}

function toBareContainer(container: ContainerStats): ContainerStats {
  return { name: container.name, startTime: container.startTime, ...toBareUsage(container) };
}

function toBareUsage({ cpu, memory, swap }: Usage): Omit<Usage, 'io'> {
  return { ...(cpu && { cpu }), ...(memory && { memory }), ...(swap && { swap }) };
}
