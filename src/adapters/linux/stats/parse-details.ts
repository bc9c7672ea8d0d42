/** More texts of cgroupfs and /proc, for the details of cgroups. Pure, and made to leave little garbage. */
import type {
  DeviceIo,
  DiskDetails,
  InterfaceDetails,
  IoCost,
  TrafficDetails,
} from '../../../core/stats/cgroup-details.ts';

/** Names of disks such as `/dev/sda` by `major:minor`. */
export type DiskNames = ReadonlyMap<string, string>;

interface MutableIo {
  readonly bytes: Record<string, number>;
  readonly operations: Record<string, number>;
  readonly cost: Record<string, number>;
}

class DeviceTable {
  readonly #found = new Map<string, MutableIo>();

  at(device: string): MutableIo {
    const known = this.#found.get(device);
    if (known !== undefined) return known;
    const made = { bytes: {}, operations: {}, cost: {} };
    this.#found.set(device, made);
    return made;
  }

  toDevices(names: DiskNames): DeviceIo[] {
    return [...this.#found].map(([numbers, { bytes, operations, cost }]) => {
      const [major = 0, minor = 0] = numbers.split(':').map(Number);
      return { device: names.get(numbers) ?? '', major, minor, bytes, operations, cost: toCost(cost) };
    });
  }
}

function toCost(cost: Record<string, number>): IoCost | undefined {
  if (Object.keys(cost).length === 0) return undefined;
  const { 'cost.usage': usageUs = 0, 'cost.wait': waitUs = 0 } = cost;
  const { 'cost.indebt': indebtUs = 0, 'cost.indelay': indelayUs = 0 } = cost;
  return { usageUs, waitUs, indebtUs, indelayUs };
}

const UNIFIED_KEYS: ReadonlyMap<string, readonly [table: 'bytes' | 'operations', operation: string]> =
  new Map([
    ['rbytes', ['bytes', 'Read']],
    ['wbytes', ['bytes', 'Write']],
    ['rios', ['operations', 'Read']],
    ['wios', ['operations', 'Write']],
  ]);

/** `io.stat` of version 2: `254:0 rbytes=1 wbytes=2 …`. */
export function parseIoStat(text: string, names: DiskNames): DeviceIo[] {
  const table = new DeviceTable();
  for (const line of text.split('\n')) {
    const [device = '', ...pairs] = line.split(' ');
    if (!/^\d+:\d+$/.test(device)) continue;
    for (const pair of pairs) {
      const [key = '', value = ''] = pair.split('=');
      const place = UNIFIED_KEYS.get(key);
      if (place !== undefined) table.at(device)[place[0]][place[1]] = Number(value) || 0;
      else if (key.startsWith('cost.')) table.at(device).cost[key] = Number(value) || 0;
    }
  }
  return table.toDevices(names);
}

/** False for the text of a cgroup that used no disk, which is a total alone. */
export function hasDevice(text: string): boolean {
  return /^\d/.test(text);
}

/** The two files of version 1: `254:0 Read 1`, with a total in the last line. */
export function parseBlkio(bytes: string, operations: string, names: DiskNames): DeviceIo[] {
  const table = new DeviceTable();
  for (const [kind, text] of [['bytes', bytes] as const, ['operations', operations] as const])
    for (const line of text.split('\n')) {
      const [, device, operation, value] = /^(\d+:\d+) (\w+) (\d+)$/.exec(line) ?? [];
      if (device !== undefined && operation !== undefined) table.at(device)[kind][operation] = Number(value);
    }
  return table.toDevices(names);
}

export interface ParsedDisks {
  readonly names: DiskNames;
  /** By `major:minor`. */
  readonly disks: ReadonlyMap<string, DiskDetails>;
}

/** `/proc/diskstats`. */
export function parseDiskstats(text: string): ParsedDisks {
  const names = new Map<string, string>();
  const disks = new Map<string, DiskDetails>();
  for (const line of text.split('\n')) {
    const [major, minor, name, ...rest] = line.trim().split(/\s+/);
    if (name === undefined || rest.length < 11) continue;
    names.set(`${major}:${minor}`, `/dev/${name}`);
    disks.set(`${major}:${minor}`, toDisk(rest.map(Number)));
  }
  return { names, disks };
}

function toDisk(numbers: readonly number[]): DiskDetails {
  const operationsAt = (at: number): DiskDetails['reads'] => {
    const [completed = 0, merged = 0, sectors = 0, ms = 0] = numbers.slice(at, at + 4);
    return { completed, merged, sectors, ms };
  };
  const [inProgress = 0, busyMs = 0, weightedMs = 0] = numbers.slice(8);
  return { reads: operationsAt(0), writes: operationsAt(4), inProgress, busyMs, weightedMs };
}

/** `/proc/<pid>/net/dev`, in the kernel's order. */
export function parseInterfaces(text: string): InterfaceDetails[] {
  return text.split('\n').flatMap((line) => {
    const [, name, rest] = /^\s*([^\s:]+):\s*(.*)$/.exec(line) ?? [];
    const numbers = rest?.trim().split(/\s+/).map(Number) ?? [];
    if (name === undefined || numbers.length < 12 || numbers.some(Number.isNaN)) return [];
    return [{ name, received: toTraffic(numbers, 0), sent: toTraffic(numbers, 8) }];
  });
}

function toTraffic(numbers: readonly number[], at: number): TrafficDetails {
  const [bytes = 0, packets = 0, errors = 0, dropped = 0] = numbers.slice(at, at + 4);
  return { bytes, packets, errors, dropped };
}

/** The soft limit in `/proc/<pid>/limits`; -1 for none, undefined when it is not there. */
export function parseMaxOpenFiles(text: string): number | undefined {
  const [, soft] = /^Max open files +(\S+)/m.exec(text) ?? [];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? -1 : Number(soft);
}
