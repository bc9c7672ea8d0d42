/** Everything that `/metrics/cadvisor` prints, as it was at one moment. */
import type { MetricFamily } from '../../../base/metric-registry.ts';
import type { MachineDetails } from '../cgroup-details.ts';
import type { SeriesTable } from './series-table.ts';

export interface DetailsReading {
  readonly atMs: number;
  /** Of all cgroups. */
  readonly series: SeriesTable;
  readonly machine: MachineDetails;
  /** Instead of the series of cgroups, where the runtime has metrics of its own. */
  readonly families: readonly MetricFamily[] | undefined;
}
