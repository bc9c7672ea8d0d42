/** Requests and limits of cpu and memory as plain numbers, to compare and subtract. */
import type { ResourceRequirements } from '../api/pod.ts';
import { cpuMilli, resourceBytes } from './pod-resources.ts';

/** Cpu counts in thousandths of a core, memory in bytes. */
export interface ResourceAmount {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

export function toAmount({ limits, requests }: ResourceRequirements = {}): ResourceAmount {
  return {
    cpuRequest: cpuMilli(requests),
    cpuLimit: cpuMilli(limits),
    memoryRequest: resourceBytes(requests, 'memory'),
    memoryLimit: resourceBytes(limits, 'memory'),
  };
}
