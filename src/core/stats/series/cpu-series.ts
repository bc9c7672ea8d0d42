/** CPU time, its limits and the time lost to throttling. */
import type { CpuDetails, MeasuredCgroup } from '../cgroup-details.ts';
import { counter, gauge, type Series, setting, type ValueOf } from './series.ts';

const NS = 1e9;
const US = 1e6;
const CPU_TOTAL = 'cpu="total"';
const TASK_STATES = ['iowaiting', 'running', 'sleeping', 'stopped', 'uninterruptible'].map(
  (state) => `state="${state}"`,
);

function ofCpu(value: (cpu: CpuDetails) => number | undefined): ValueOf {
  return ({ details: { cpu } }) => cpu && value(cpu);
}

/** Only a cgroup with a quota has periods. */
function ofPeriods(value: (cpu: CpuDetails) => number): ValueOf {
  return ({ details: { cpu, limits } }) =>
    limits.cpu?.quotaUs === undefined ? undefined : cpu && value(cpu);
}

function none(): number {
  return 0;
}

export const CPU_SERIES: readonly Series[] = [
  counter(
    'container_cpu_cfs_burst_periods_total',
    'Number of periods when burst occurs.',
    ofPeriods((cpu) => cpu.burstPeriods),
  ),
  counter(
    'container_cpu_cfs_burst_seconds_total',
    'Total time duration the container has been bursted.',
    ofPeriods((cpu) => cpu.burstNs / NS),
  ),
  counter(
    'container_cpu_cfs_periods_total',
    'Number of elapsed enforcement period intervals.',
    ofPeriods((cpu) => cpu.periods),
  ),
  counter(
    'container_cpu_cfs_throttled_periods_total',
    'Number of throttled period intervals.',
    ofPeriods((cpu) => cpu.throttledPeriods),
  ),
  counter(
    'container_cpu_cfs_throttled_seconds_total',
    'Total time duration the container has been throttled.',
    ofPeriods((cpu) => cpu.throttledNs / NS),
  ),
  gauge(
    'container_cpu_load_average_10s',
    'Value of container cpu load average over the last 10 seconds.',
    none,
  ),
  gauge(
    'container_cpu_load_d_average_10s',
    'Value of container cpu load.d average over the last 10 seconds.',
    none,
  ),
  counter(
    'container_cpu_system_seconds_total',
    'Cumulative system cpu time consumed in seconds.',
    ofCpu((cpu) => cpu.systemNs / NS),
  ),
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative cpu time consumed in seconds.',
    kind: 'counter',
    isTimed: true,
    put: ({ details: { cpu } }: MeasuredCgroup, put) => {
      if (cpu !== undefined) put(cpu.usageNs / NS, CPU_TOTAL);
    },
  },
  counter(
    'container_cpu_user_seconds_total',
    'Cumulative user cpu time consumed in seconds.',
    ofCpu((cpu) => cpu.userNs / NS),
  ),
  counter(
    'container_pressure_cpu_stalled_seconds_total',
    'Total time duration no tasks in the container could make progress due to CPU congestion.',
    ofCpu(({ psi }) => psi && psi.full.total / US),
  ),
  counter(
    'container_pressure_cpu_waiting_seconds_total',
    'Total time duration tasks in the container have waited due to CPU congestion.',
    ofCpu(({ psi }) => psi && psi.some.total / US),
  ),
  setting(
    'container_spec_cpu_period',
    'CPU period of the container.',
    ({ details }) => details.limits.cpu?.periodUs,
  ),
  setting(
    'container_spec_cpu_quota',
    'CPU quota of the container.',
    ({ details }) => details.limits.cpu?.quotaUs,
  ),
  setting(
    'container_spec_cpu_shares',
    'CPU share of the container.',
    ({ details }) => details.limits.cpu?.shares,
  ),
  {
    name: 'container_tasks_state',
    help: 'Number of tasks in given state',
    kind: 'gauge',
    isTimed: true,
    // The kernel counts none of them; upstream shows the same zeros.
    put: (_, put) => {
      for (const state of TASK_STATES) put(0, state);
    },
  },
];
