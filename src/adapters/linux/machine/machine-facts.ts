/**
 * What the machine is, read once at start from `/proc`, `/sys` and the
 * resolver. What cannot be read counts as absent: a missing fact costs a
 * feature, not the start. Only the mount table and the memory must be there.
 */
import { lookup } from 'node:dns/promises';
import { readdir, readFile, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AgentError } from '../../../base/errors.ts';
import type { MachineLayout } from '../../../core/cpus/machine-layout.ts';
import type { HugepageTotal, MachineResources } from '../../../core/node-status/node-status-facts.ts';
import { type CgroupLayout, parseCgroupLayout } from '../cgroup/cgroup-layout.ts';
import { toHostError } from '../host-error.ts';
import { type MountPoint, parseMountinfo } from '../mountinfo.ts';
import { readMachineLayout } from './machine-layout-reader.ts';
import type { HostInterface } from './node-ips.ts';
import {
  parseCpuList,
  parseDefaultRoutes,
  parseDefaultRoutes6,
  parseHugepageSizes,
  parseMeminfo,
  parsePageSize,
  parseUnifiedCgroup,
} from './parse-proc.ts';

export interface MachineFacts {
  /** Another after each start of the machine; empty when unknown. */
  readonly bootId: string;
  readonly capacity: Pick<MachineResources, 'cpuCount' | 'memoryBytes'> & {
    /** Of the file system that holds the agent's directory. */
    readonly ephemeralStorageBytes: number;
  };
  /** A list such as `0-3`; empty when unknown. */
  readonly onlineCpus: string;
  /** Processes and threads the kernel can have; undefined when unknown. */
  readonly pidLimit: number | undefined;
  readonly swapBytes: number;
  readonly pageSizeBytes: number;
  readonly hugepageSizesBytes: readonly number[];
  readonly hugepages: readonly HugepageTotal[];
  /** Which CPUs and memory belong together. */
  readonly layout: MachineLayout;
  readonly thermalThrottlePaths: readonly string[];
  readonly cgroup: CgroupLayout;
  readonly swapControllerAvailable: boolean;
  /** False for a kernel that cannot keep CPU limits. */
  readonly canCapCpu: boolean;
  readonly selinuxEnabled: boolean;
  /** Addresses the resolver has for the node's name. */
  readonly resolved: readonly string[];
  readonly defaultRouteInterfaces: readonly string[];
  readonly interfaces: readonly HostInterface[];
}

export interface MachineSources {
  readonly nodeName: string;
  readonly rootDir: string;
  /** Other places for tests. */
  readonly proc?: string;
  readonly sys?: string;
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly readInterfaces?: () => readonly HostInterface[];
}

const USUAL_PAGE_BYTES = 4096;
const RESOLVE_TIMEOUT_MS = 3_000;

/** Rejects when memory or mounts cannot be read: then nothing sensible can be said about the machine. */
export async function readMachineFacts(sources: MachineSources): Promise<MachineFacts> {
  const { nodeName, rootDir, proc = '/proc', sys = '/sys' } = sources;
  const mounts = parseMountinfo(await readRequired(join(proc, 'self/mountinfo')));
  const { memoryBytes, swapBytes } = parseMeminfo(await readRequired(join(proc, 'meminfo')));
  if (memoryBytes === 0) throw new AgentError('failed-precondition', 'cannot read the size of the memory');
  const cgroup = parseCgroupLayout(mounts, join(sys, 'fs/cgroup'));
  const hugepages = join(sys, 'kernel/mm/hugepages');
  const hugepageSizesBytes = parseHugepageSizes(await listOrNone(hugepages));
  const pages = await readHugepages(hugepages, hugepageSizesBytes);
  const onlineCpus = (await readText(join(sys, 'devices/system/cpu/online'))).trim();
  return {
    bootId: (await readText(join(proc, 'sys/kernel/random/boot_id'))).trim(),
    onlineCpus,
    pidLimit: await readPidLimit(join(proc, 'sys/kernel')),
    capacity: {
      cpuCount: parseCpuList(onlineCpus).length || 1,
      memoryBytes,
      ephemeralStorageBytes: await readFileSystemBytes(rootDir),
    },
    hugepages: pages,
    swapBytes,
    pageSizeBytes: parsePageSize(await readBytes(join(proc, 'self/auxv'))) ?? USUAL_PAGE_BYTES,
    hugepageSizesBytes,
    layout: await readMachineLayout({ sys, memoryBytes, hugepages: pages }),
    thermalThrottlePaths: await readThermalPaths(sys),
    cgroup,
    swapControllerAvailable: await hasSwapController(cgroup, await readText(join(proc, 'self/cgroup'))),
    canCapCpu: await hasCpuLimits(cgroup),
    selinuxEnabled: await isSelinuxEnabled(mounts, join(proc, 'self/attr/current')),
    resolved: await (sources.resolve ?? resolveName)(nodeName),
    defaultRouteInterfaces: [
      ...parseDefaultRoutes(await readText(join(proc, 'net/route'))),
      ...parseDefaultRoutes6(await readText(join(proc, 'net/ipv6_route'))),
    ],
    interfaces: (sources.readInterfaces ?? readInterfaces)(),
  };
}

/** Numbers may run out before threads do, or the other way round. */
async function readPidLimit(directory: string): Promise<number | undefined> {
  const texts = await Promise.all(['pid_max', 'threads-max'].map((file) => readText(join(directory, file))));
  const limits = texts.map((text) => Number(text.trim())).filter((limit) => limit > 0);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

async function readHugepages(directory: string, sizes: readonly number[]): Promise<HugepageTotal[]> {
  const pages = sizes.map(async (pageBytes) => {
    const count = await readText(join(directory, `hugepages-${pageBytes / 1024}kB`, 'nr_hugepages'));
    return { pageBytes, totalBytes: Number(count.trim() || 0) * pageBytes };
  });
  return Promise.all(pages);
}

/** Of all CPUs the machine could have, not only those that are on now. */
async function readThermalPaths(sys: string): Promise<string[]> {
  const cpus = join(sys, 'devices/system/cpu');
  const paths = parseCpuList(await readText(join(cpus, 'possible'))).map((cpu) =>
    join(cpus, `cpu${cpu}`, 'thermal_throttle'),
  );
  const found = await Promise.all(paths.map(isThere));
  return paths.filter((_, index) => found[index]);
}

/** Version 2 always has them. */
async function hasCpuLimits(layout: CgroupLayout): Promise<boolean> {
  if (layout.version === 2) return true;
  const cpu = layout.hierarchies.find(({ controllers }) => controllers.includes('cpu'));
  return cpu !== undefined && isThere(join(cpu.directory, 'cpu.cfs_quota_us'));
}

/** The root of a version 2 tree has no limits, so the agent's own cgroup is asked. */
async function hasSwapController(layout: CgroupLayout, ownCgroups: string): Promise<boolean> {
  if (layout.version === 2)
    return isThere(join(layout.root, parseUnifiedCgroup(ownCgroups) ?? '/', 'memory.swap.max'));
  const memory = layout.hierarchies.find(({ controllers }) => controllers.includes('memory'));
  return memory !== undefined && isThere(join(memory.directory, 'memory.memsw.limit_in_bytes'));
}

/** The label `kernel` is that of a system whose policy was never loaded. */
async function isSelinuxEnabled(mounts: readonly MountPoint[], labelFile: string): Promise<boolean> {
  if (!mounts.some(({ fsType }) => fsType === 'selinuxfs')) return false;
  const label = (await readText(labelFile)).replace(/\0/g, '').trim();
  return label !== '' && label !== 'kernel';
}

/** The directory may be made only later; the file system is that of its nearest parent. */
async function readFileSystemBytes(path: string): Promise<number> {
  try {
    const { blocks, bsize } = await statfs(path);
    return blocks * bsize;
  } catch {
    return dirname(path) === path ? 0 : readFileSystemBytes(dirname(path));
  }
}

/** Nothing in time counts as nothing: a resolver that does not answer must not hold up the start. */
async function resolveName(name: string): Promise<readonly string[]> {
  const answered = new AbortController();
  const tooLate = wait(RESOLVE_TIMEOUT_MS, [], { signal: answered.signal }).catch(() => []);
  const found = lookup(name, { all: true }).then(
    (entries) => entries.map(({ address }) => address),
    () => [],
  );
  const addresses = await Promise.race([found, tooLate]);
  answered.abort();
  return addresses;
}

function readInterfaces(): HostInterface[] {
  return Object.entries(networkInterfaces()).map(([name, entries]) => ({
    name,
    addresses: entries?.map(({ address }) => address) ?? [],
  }));
}

async function readRequired(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw toHostError('read', path, error);
  }
}

function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

function readBytes(path: string): Promise<Uint8Array> {
  return readFile(path).catch(() => new Uint8Array());
}

function listOrNone(path: string): Promise<string[]> {
  return readdir(path).catch(() => []);
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
