/**
 * Statistics in which page cache is free memory. The working set counts file
 * pages that were used a short time ago (active_file); a pod that reads much
 * looks as if it needed them, though the kernel takes them back before anything
 * is short. With the setting on, no pod is evicted for them.
 */
import { ACTIVE_FILE_BYTES, type MemoryStats, type Summary } from '../stats/summary.ts';

export function sparePageCache({ node, pods }: Summary): Summary {
  return {
    node: {
      ...withoutCache(node),
      ...(node.systemContainers && { systemContainers: node.systemContainers.map(withoutCache) }),
    },
    pods: pods.map((pod) => ({ ...withoutCache(pod), containers: pod.containers.map(withoutCache) })),
  };
}

function withoutCache<T extends { readonly memory?: MemoryStats }>(stats: T): T {
  const { memory } = stats;
  if (memory?.workingSetBytes === undefined) return stats;
  const cacheBytes = Math.min(memory[ACTIVE_FILE_BYTES] ?? 0, memory.workingSetBytes);
  const { availableBytes } = memory;
  return {
    ...stats,
    memory: {
      ...memory,
      workingSetBytes: memory.workingSetBytes - cacheBytes,
      ...(availableBytes === undefined ? {} : { availableBytes: availableBytes + cacheBytes }),
    },
  };
}
