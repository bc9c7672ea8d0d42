/** Every series that `/metrics/cadvisor` has of a cgroup, by name. */
import { CPU_SERIES } from './cpu-series.ts';
import { DISK_SERIES } from './disk-series.ts';
import { MEMORY_SERIES } from './memory-series.ts';
import { OTHER_SERIES } from './other-series.ts';
import type { Series } from './series.ts';

export const CONTAINER_SERIES: readonly Series[] = [
  ...CPU_SERIES,
  ...DISK_SERIES,
  ...MEMORY_SERIES,
  ...OTHER_SERIES,
].toSorted((a, b) => (a.name < b.name ? -1 : 1));
