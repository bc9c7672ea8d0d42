/**
 * What a node reports about its machine besides its size: identities, kernel,
 * distribution, huge pages. Read once at start; what cannot be read is empty.
 */
import { readdir, readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import type { HugepageTotal, SystemFacts } from '../../../core/node-status/node-status-facts.ts';
import { parseHugepageSizes } from './parse-proc.ts';

export interface SystemInfo extends Omit<SystemFacts, 'swapBytes'> {
  /** Every page size the kernel offers, smallest first. */
  readonly hugepages: readonly HugepageTotal[];
}

/** Other places for tests. */
export interface SystemInfoSources {
  readonly root?: string;
  readonly kernelVersion?: string;
  readonly nodeArch?: string;
}

/** The name that Go, and so every image and label, has for Node's name of an architecture. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };

const MACHINE_ID = ['etc/machine-id', 'var/lib/dbus/machine-id'];
const SYSTEM_UUID = [
  'sys/class/dmi/id/product_uuid',
  'proc/device-tree/system-id',
  'proc/device-tree/vm,uuid',
  'etc/machine-id',
];

/** Never rejects. */
export async function readSystemInfo(sources: SystemInfoSources = {}): Promise<SystemInfo> {
  const { root = '/', kernelVersion = release(), nodeArch = process.arch } = sources;
  return {
    machineId: await readFirst(root, MACHINE_ID),
    systemUuid: await readFirst(root, SYSTEM_UUID),
    bootId: await readFirst(root, ['proc/sys/kernel/random/boot_id']),
    kernelVersion,
    osImage: parseOsImage(await readFirst(root, ['etc/os-release', 'usr/lib/os-release'])),
    operatingSystem: 'linux',
    architecture: GO_ARCHITECTURES[nodeArch] ?? nodeArch,
    hugepages: await readHugepages(join(root, 'sys/kernel/mm/hugepages')),
  };
}

/** The name of the distribution for people in an os-release file. */
export function parseOsImage(text: string): string {
  const [, value] = /^PRETTY_NAME=(.*)$/m.exec(text) ?? [];
  return value?.trim().replace(/^["']+|["']+$/g, '') ?? 'Linux';
}

/** True when no device plugin has left a file here: the machine, or its disk, is a new one. */
export async function isDevicePluginDirectoryEmpty(path: string): Promise<boolean> {
  const names = await readdir(path).catch(() => []);
  return names.every((name) => name.startsWith('.'));
}

async function readHugepages(directory: string): Promise<HugepageTotal[]> {
  const sizes = parseHugepageSizes(await readdir(directory).catch(() => []));
  return Promise.all(
    sizes.map(async (pageBytes) => {
      const count = await readFirst(directory, [`hugepages-${pageBytes / 1024}kB/nr_hugepages`]);
      return { pageBytes, totalBytes: Number(count || 0) * pageBytes };
    }),
  );
}

/** The text of the first file that has any. The device tree ends its texts with a zero byte. */
async function readFirst(root: string, paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = await readFile(join(root, path), 'utf8').catch(() => '');
    const trimmed = text.replace(/\0/g, '').trim();
    if (trimmed !== '') return trimmed;
  }
  return '';
}
