/** CPU and memory in words, as `kubelet top` has them. */

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** `12m` of a core, `1.5` cores. */
export function renderCpu(nanoCores: number | null, unknown: string): string {
  if (nanoCores === null) return unknown;
  const milli = Math.ceil(nanoCores / 1e6);
  return milli < 1000 ? `${milli}m` : (milli / 1000).toFixed(2);
}

/** `12 Mi`, `1.5 Gi`. */
export function renderMemory(bytes: number | null, unknown: string): string {
  if (bytes === null) return unknown;
  return bytes < GIB ? `${Math.floor(bytes / MIB)} Mi` : `${(bytes / GIB).toFixed(1)} Gi`;
}
