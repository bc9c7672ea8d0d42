/**
 * What a node may leave behind on the host: containers and sandboxes, mounts,
 * cgroups, directories, log links, network namespaces, interfaces, addresses.
 * Each look answers with sentences; an empty list means nothing is left.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findMountsBelow, parseMountinfo } from '../../src/adapters/linux/mountinfo.ts';
import { LEGACY_LOG_DIRECTORY } from '../../src/core/model/log-paths.ts';
import { parseCgroupPath, podUidOfCgroup } from '../../src/core/resources/cgroup-names.ts';
import type { RuntimeReader } from '../../src/ports/runtime/container-runtime.ts';

const CGROUP_MOUNT = '/sys/fs/cgroup';
/** `<controller>/<root>/kubepods/besteffort/pod<uid>` below the mount. */
const CGROUP_DEPTH = 5;

export interface NodeTraces {
  /** Static pods are called `<name>-<node>`. */
  readonly nodeName: string;
  readonly rootDir: string;
  readonly podLogsDir: string;
  /** Of every pod the node ever had. */
  readonly podUids: ReadonlySet<string>;
  readonly reader: RuntimeReader;
}

export async function findLeftovers(traces: NodeTraces): Promise<string[]> {
  const found = await Promise.all([
    findInRuntime(traces),
    findMounts(traces.rootDir),
    findCgroups(traces.podUids),
    findEntries(join(traces.rootDir, 'pods'), 'pod directory'),
    findEntries(traces.podLogsDir, 'log directory'),
    findLogLinks(traces.nodeName),
  ]);
  return found.flat();
}

/** Network things the runtime's own instance has now; compared before and after. */
export async function listNetworkTraces(endpoint: string): Promise<Set<string>> {
  const instance = dirname(endpoint.replace('unix://', ''));
  const mounts = parseMountinfo(await readFile('/proc/self/mountinfo', 'utf8'));
  const namespaces = mounts
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${instance}/state`) && path.includes('/netns/'));
  const index = (await readFile(join(instance, 'network'), 'utf8').catch(() => '')).trim();
  const interfaces = index === '' ? [] : await list(`/sys/class/net/kts${index}/brif`);
  const leases: string[] = [];
  for (const network of await list(join(instance, 'cni', 'ipam'))) {
    const files = await list(join(instance, 'cni', 'ipam', network));
    leases.push(...files.filter((file) => /^\d+\.\d+\.\d+\.\d+$/.test(file)));
  }
  return new Set([
    ...namespaces.map((path) => `network namespace ${path}`),
    ...interfaces.map((name) => `interface ${name}`),
    ...leases.map((address) => `address ${address}`),
  ]);
}

async function findInRuntime({ nodeName, podUids, reader }: NodeTraces): Promise<string[]> {
  const sandboxes = await reader.listSandboxes();
  const containers = await reader.listContainers();
  const isOurs = (uid: string, name: string): boolean => podUids.has(uid) || name.endsWith(`-${nodeName}`);
  return [
    ...sandboxes
      .filter(({ podUid, podName }) => isOurs(podUid, podName))
      .map(({ id, podName }) => `sandbox ${id} of ${podName}`),
    ...containers
      .filter(({ podUid, labels }) => isOurs(podUid, labels['io.kubernetes.pod.name'] ?? ''))
      .map(({ id, name, state }) => `container ${name} ${id} (${state})`),
  ];
}

async function findMounts(rootDir: string): Promise<string[]> {
  const mounts = parseMountinfo(await readFile('/proc/self/mountinfo', 'utf8'));
  // The root itself stays: the kubelet makes it a mount of its own for as long as the node lives.
  const below = findMountsBelow(mounts, rootDir).filter((path) => path !== rootDir);
  return below.map((path) => `mount ${path}`);
}

async function findCgroups(podUids: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const walk = async (directory: string, depth: number): Promise<void> => {
    for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory()) continue;
      const path = join(directory, entry.name);
      if (podUids.has(podUidOf(entry.name))) found.push(`cgroup ${path}`);
      else if (depth > 1) await walk(path, depth - 1);
    }
  };
  await walk(CGROUP_MOUNT, CGROUP_DEPTH);
  return found;
}

/** Of `pod<uid>`, or of the slice that stands for it; empty when it is neither. */
function podUidOf(name: string): string {
  const driver = name.endsWith('.slice') ? 'systemd' : 'cgroupfs';
  return podUidOfCgroup(parseCgroupPath(name, driver)) ?? '';
}

async function findEntries(directory: string, what: string): Promise<string[]> {
  return (await list(directory)).map((name) => `${what} ${join(directory, name)}`);
}

async function findLogLinks(nodeName: string): Promise<string[]> {
  const links = await list(LEGACY_LOG_DIRECTORY);
  return links.filter((name) => name.includes(`-${nodeName}_`)).map((name) => `log link ${name}`);
}

/** Names in a directory; none when it does not exist. */
async function list(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}
