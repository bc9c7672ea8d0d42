/** Who has what of the machine, for people who ask. */
import type { ResourceReport } from '../../core/numa-memory/resource-report.ts';

export interface ResourceReporter {
  report(): ResourceReport;
}
