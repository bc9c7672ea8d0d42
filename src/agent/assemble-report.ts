/** Wires the report of which pod has what of the machine. It only connects. */
import { idsOf } from '../core/devices/device.ts';
import type { PodUid } from '../core/model/ids.ts';
import { type ReportedDevice, reportNodes } from '../core/numa-memory/resource-report.ts';
import type { ResourceReporter } from '../ports/host/resource-reporter.ts';
import type { AssignmentSettings } from './agent-ports.ts';
import type { ResourceAssembly } from './assemble-resources.ts';

export function assembleReport(
  { desired, assignment }: Pick<ResourceAssembly, 'desired' | 'assignment'>,
  { layout, cpuPolicy, memory, topology }: AssignmentSettings,
): ResourceReporter {
  const nameOf = (uid: PodUid, container: string): string => {
    const { namespace, name } = desired.records.get(uid)?.pod.metadata ?? { namespace: '?', name: uid };
    return `${namespace}/${name} ${container}`;
  };
  return {
    report: () => ({
      cpuPolicy: cpuPolicy === undefined ? 'none' : 'static',
      memoryPolicy: memory === undefined ? 'None' : 'Static',
      topologyPolicy: topology.name === 'none' ? 'none' : `${topology.name} (${topology.scope})`,
      nodes: reportNodes({
        layout,
        cpuPolicy,
        cpus: assignment.cpus.state,
        memory: assignment.memory.state,
        nameOf,
      }),
      devices: reportDevices(assignment.devices, nameOf),
    }),
  };
}

function reportDevices(
  devices: ResourceAssembly['assignment']['devices'],
  nameOf: (uid: PodUid, container: string) => string,
): ReportedDevice[] {
  if (devices === undefined) return [];
  const { resources, ledger } = devices;
  return resources.names().flatMap((resource) => {
    const owners = new Map(
      ledger
        .all()
        .filter((one) => one.resource === resource)
        .flatMap((one) => idsOf(one).map((id) => [id, nameOf(one.podUid, one.container)] as const)),
    );
    return [...(resources.devices(resource)?.values() ?? [])].map(({ id, isHealthy, numaNodes }) => {
      const owner = owners.get(id) ?? (isHealthy ? 'free' : 'unhealthy');
      return { resource, id, numaNodes, owner };
    });
  });
}
