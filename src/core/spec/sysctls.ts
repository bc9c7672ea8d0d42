/**
 * Kernel settings of a pod, with their names in one spelling.
 */
import type { StringMap } from '../api/meta.ts';
import type { Pod } from '../api/pod.ts';

/** `net/ipv4/a.b` is the same as `net.ipv4.a/b`; a name whose first separator is a dot stays as it is. */
export function normalizeSysctlName(name: string): string {
  if (name.match(/[./]/)?.[0] !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
}

/** All sysctls of the pod by their normalised names. */
export function toSysctls(pod: Pod): StringMap {
  const sysctls = pod.spec.securityContext?.sysctls ?? [];
  return Object.fromEntries(sysctls.map(({ name, value }) => [normalizeSysctlName(name), value]));
}
