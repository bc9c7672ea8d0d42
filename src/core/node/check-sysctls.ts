/**
 * Which kernel settings a pod may bring: those that are known to concern its
 * own namespaces only, and those the administrator allows besides.
 */
import type { Pod } from '../api/pod.ts';
import { normalizeSysctlName } from '../spec/sysctls.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';

type Namespace = 'IPC' | 'Net';

/** Safe ones with the kernel from which they belong to a namespace. */
const SAFE: ReadonlyMap<string, readonly [major: number, minor: number]> = new Map([
  ['kernel.shm_rmid_forced', [0, 0]],
  ['net.ipv4.ip_local_port_range', [0, 0]],
  ['net.ipv4.tcp_syncookies', [0, 0]],
  ['net.ipv4.ping_group_range', [0, 0]],
  ['net.ipv4.ip_unprivileged_port_start', [0, 0]],
  ['net.ipv4.ip_local_reserved_ports', [3, 16]],
  ['net.ipv4.tcp_keepalive_time', [4, 5]],
  ['net.ipv4.tcp_keepalive_intvl', [4, 5]],
  ['net.ipv4.tcp_keepalive_probes', [4, 5]],
  ['net.ipv4.tcp_fin_timeout', [4, 6]],
  ['net.ipv4.tcp_rmem', [4, 15]],
  ['net.ipv4.tcp_wmem', [4, 15]],
]);

const NAMESPACES: readonly (readonly [prefix: string, namespace: Namespace])[] = [
  ['kernel.shm', 'IPC'],
  ['kernel.msg', 'IPC'],
  ['fs.mqueue.', 'IPC'],
  ['net.', 'Net'],
];

export function checkSysctls(pod: Pod, facts: AdmissionFacts): AdmissionRefusal | undefined {
  const { hostIPC, hostNetwork, securityContext } = pod.spec;
  for (const { name } of securityContext?.sysctls ?? []) {
    const sysctl = normalizeSysctlName(name);
    const namespace = findAllowed(sysctl, facts);
    const shared = namespace === 'IPC' ? hostIPC : hostNetwork;
    if (namespace !== undefined && shared !== true) continue;
    const why = namespace === undefined ? 'not allowlisted' : `not allowed with host ${namespace} enabled`;
    return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${sysctl}" ${why}` };
  }
  return undefined;
}

/** The patterns of `allowedUnsafeSysctls` that would let a pod change the whole node. */
export function findNodeWideSysctls(patterns: readonly string[]): string[] {
  return patterns
    .map(normalizeSysctlName)
    .filter((pattern) => toNamespace(pattern.replace(/\*$/, '')) === undefined);
}

function findAllowed(sysctl: string, facts: AdmissionFacts): Namespace | undefined {
  const since = SAFE.get(sysctl);
  if (since !== undefined && isAtLeast(facts.kernelVersion, since)) return toNamespace(sysctl);
  const pattern = facts.allowedUnsafeSysctls
    .map(normalizeSysctlName)
    .find((one) => (one.endsWith('*') ? sysctl.startsWith(one.slice(0, -1)) : one === sysctl));
  return pattern === undefined ? undefined : toNamespace(pattern.replace(/\*$/, ''));
}

function toNamespace(name: string): Namespace | undefined {
  if (name === 'kernel.sem') return 'IPC';
  return NAMESPACES.find(([prefix]) => name.startsWith(prefix))?.[1];
}

function isAtLeast(kernelVersion: string, [major, minor]: readonly [number, number]): boolean {
  const [, a = '0', b = '0'] = /^(\d+)\.(\d+)/.exec(kernelVersion) ?? [];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
}
