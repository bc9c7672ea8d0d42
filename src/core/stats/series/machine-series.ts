/** The families of `/metrics/cadvisor` that are of the machine and of the exporter. */
import type { MetricFamily, Sample } from '../../../base/metric-registry.ts';
import type { MachineDetails } from '../cgroup-details.ts';

/** Help and value. What no such machine has is 0, as upstream shows it. */
const AMOUNTS: Readonly<Record<string, readonly [help: string, value: (machine: MachineDetails) => number]>> =
  {
    machine_cpu_books: ['Number of CPU books.', () => 0],
    machine_cpu_cores: ['Number of logical CPU cores.', (machine) => machine.cores],
    machine_cpu_drawers: ['Number of CPU drawers.', () => 0],
    machine_cpu_physical_cores: ['Number of physical CPU cores.', (machine) => machine.physicalCores],
    machine_cpu_sockets: ['Number of CPU sockets.', (machine) => machine.sockets],
    machine_memory_bytes: ['Amount of memory installed on the machine.', (machine) => machine.memoryBytes],
    machine_nvm_avg_power_budget_watts: ['NVM power budget.', () => 0],
    machine_swap_bytes: ['Amount of swap memory available on the machine.', (machine) => machine.swapBytes],
  };

const NVM_MODES = ['app_direct_mode', 'memory_mode'];

/** Before the series of cgroups. */
export function toVersionFamily({ kernelVersion, osImage }: MachineDetails): MetricFamily {
  const labels: Sample['labels'] = [
    ['cadvisorRevision', ''],
    ['cadvisorVersion', ''],
    ['dockerVersion', ''],
    ['kernelVersion', kernelVersion],
    ['osVersion', osImage],
  ];
  return toFamily(
    'cadvisor_version_info',
    "A metric with a constant '1' value labeled by kernel version, OS version, docker version, cadvisor version & cadvisor revision.",
    [{ suffix: '', labels, value: 1 }],
  );
}

/** Without a machine only the errors are shown. */
export function toErrorFamily(of: 'container' | 'machine', failed: boolean): MetricFamily {
  const help = `1 if there was an error while getting ${of} metrics, 0 otherwise${of === 'machine' ? '.' : ''}`;
  return toFamily(`${of}_scrape_error`, help, [{ suffix: '', labels: [], value: failed ? 1 : 0 }]);
}

/** After the series of cgroups, by name. */
export function toMachineFamilies(machine: MachineDetails): MetricFamily[] {
  const { bootId, machineId, systemUuid } = machine;
  const labels: Sample['labels'] = [
    ['boot_id', bootId],
    ['machine_id', machineId],
    ['system_uuid', systemUuid],
  ];
  const amounts = Object.entries(AMOUNTS).map(([name, [help, value]]) =>
    toFamily(name, help, [{ suffix: '', labels, value: value(machine) }]),
  );
  const modes = NVM_MODES.map((mode) => ({
    suffix: '',
    labels: [...labels, ['mode', mode] as const],
    value: 0,
  }));
  const nvm = toFamily(
    'machine_nvm_capacity',
    'NVM capacity value labeled by NVM mode (memory mode or app direct mode).',
    modes,
  );
  return [...amounts, nvm, toErrorFamily('machine', false)].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function toFamily(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, help, kind: 'gauge', stability: 'NONE', samples: () => samples };
}
