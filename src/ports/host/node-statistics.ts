/**
 * What the node and its pods use. There is one shared reading: it serves every
 * caller that accepts its age, and nothing is read while no caller asks.
 */
import type { DiskLayout } from '../../core/eviction/disk-layout.ts';
import type { DetailsReading } from '../../core/stats/series/details-reading.ts';
import type { Summary } from '../../core/stats/summary.ts';
import type { UsagePast } from '../../core/stats/top.ts';

export interface StatisticsRequest {
  /** The caller accepts a reading of at most this age; 0 asks for a fresh one. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** CPU, memory and swap. */
export interface UsageReading {
  readonly summary: Summary;
  /** When it was measured; times in the summary are whole seconds. */
  readonly atMs: number;
}

/** Everything. */
export interface StatisticsReading extends UsageReading {
  /** How images, writable layers and the kubelet's own files lie on disks. */
  readonly layout: DiskLayout;
}

export interface NodeStatistics {
  /** The node alone, without its pods and networks: a handful of small reads. Rejects with AgentError. */
  readNode(request: StatisticsRequest): Promise<StatisticsReading>;
  /** CPU and memory of the node alone, now; for looks that must be quick. Throws AgentError. */
  readNodeUsage(): UsageReading;
  /** Rejects with AgentError when the node itself cannot be read; a pod that cannot be is left out. */
  read(request: StatisticsRequest): Promise<StatisticsReading>;
  /** The same without file systems, networks and volumes, which costs a fraction. */
  readUsage(request: StatisticsRequest): Promise<UsageReading>;
  /** Every number of every cgroup of the node, its pods and their containers. Rejects with AgentError. */
  readDetails(request: StatisticsRequest): Promise<DetailsReading>;
  /** What the readings of the last quarter of an hour were. Reads nothing. */
  history(): UsagePast;
  /** What was last read for another caller, if it is at most that old. Reads nothing. */
  peek(maxAgeMs: number): StatisticsReading | undefined;
}
