/**
 * The texts of `/proc` and `/sys` the machine facts come from, taken apart.
 * Pure: every format has its table of examples; reading is done elsewhere.
 */

export interface MemoryTotals {
  readonly memoryBytes: number;
  readonly swapBytes: number;
}

/** `/proc/meminfo`; a missing line counts as 0. */
export function parseMeminfo(text: string): MemoryTotals {
  const bytesOf = (key: string): number =>
    Number(new RegExp(`^${key}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return { memoryBytes: bytesOf('MemTotal'), swapBytes: bytesOf('SwapTotal') };
}

/** A list such as `0-3,5`; parts that are no range are left out. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .flatMap((part) => {
      const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
      const length = Number(last) - Number(first) + 1;
      return length > 0 ? Array.from({ length }, (_, index) => Number(first) + index) : [];
    });
}

/** Page sizes in bytes from names such as `hugepages-2048kB`, smallest first. */
export function parseHugepageSizes(names: readonly string[]): number[] {
  return names
    .flatMap((name) => /^hugepages-(\d+)kB$/.exec(name)?.[1] ?? [])
    .map((kib) => Number(kib) * 1024)
    .toSorted((a, b) => a - b);
}

const AUXV_PAGE_SIZE = 6n;

/** The page size in `/proc/self/auxv` of a 64-bit process; undefined when it is missing. */
export function parsePageSize(auxv: Uint8Array): number | undefined {
  const view = new DataView(auxv.buffer, auxv.byteOffset, auxv.byteLength);
  for (let at = 0; at + 16 <= auxv.byteLength; at += 16) {
    if (view.getBigUint64(at, true) === AUXV_PAGE_SIZE) return Number(view.getBigUint64(at + 8, true));
  }
  return undefined;
}

/** The path of the version 2 cgroup in `/proc/self/cgroup`; undefined when there is none. */
export function parseUnifiedCgroup(text: string): string | undefined {
  return /^0::(\/.*)$/m.exec(text)?.[1];
}

/** True unless `/proc/self/uid_map` is that of a user namespace; a kernel without them has no such file. */
export function isInitialUserNamespace(text: string): boolean {
  return text.trim() === '' || /^\s*0\s+0\s+4294967295\s*$/.test(text);
}

const ROUTE_UP = 0x1;
const ROUTE_REJECT = 0x200;

/** The interfaces of default routes in `/proc/net/route`, in the kernel's order. */
export function parseDefaultRoutes(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [device, destination, , flags = '', , , , mask] = line.trim().split(/\s+/);
    const isDefault = destination === '00000000' && mask === '00000000';
    return device !== undefined && isDefault && hasFlag(flags, ROUTE_UP) ? [device] : [];
  });
}

/** The same in `/proc/net/ipv6_route`, where an unreachable default route stands for having none. */
export function parseDefaultRoutes6(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [destination = '', length, , , , , , , flags = '', device] = line.trim().split(/\s+/);
    const isDefault = /^0{32}$/.test(destination) && length === '00';
    const usable = hasFlag(flags, ROUTE_UP) && !hasFlag(flags, ROUTE_REJECT);
    return device !== undefined && device !== 'lo' && isDefault && usable ? [device] : [];
  });
}

function hasFlag(hex: string, flag: number): boolean {
  return (Number.parseInt(hex, 16) & flag) !== 0;
}
