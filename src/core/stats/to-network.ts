/** Counters of network interfaces as the summary shows them. */
import type { InterfaceSample } from './samples.ts';
import { toStatsTime } from './stats-time.ts';
import type { NetworkStats } from './summary.ts';

/** Of the machine itself, or one end of a cable into a container. */
const IGNORED = ['lo', 'veth', 'docker', 'nerdctl'] as const;
/** Its numbers are shown beside the list too. */
const DEFAULT_INTERFACE = 'eth0';

export function isShownInterface(name: string): boolean {
  return !IGNORED.some((prefix) => name.startsWith(prefix));
}

/** Undefined when there is no interface to show. */
export function toNetworkStats(all: readonly InterfaceSample[], atMs: number): NetworkStats | undefined {
  const interfaces = all.filter(({ name }) => isShownInterface(name));
  if (interfaces.length === 0) return undefined;
  const inlined = interfaces.find(({ name }) => name === DEFAULT_INTERFACE) ?? { name: '' };
  return { time: toStatsTime(atMs), ...inlined, interfaces };
}
