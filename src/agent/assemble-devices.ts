/** Wires device plugins: what they offer, which pod has it, and what of it others see. It only connects. */
import { DeviceLedger } from '../core/devices/device-ledger.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { PodResourceReader } from '../ports/devices/pod-resource-reader.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { AssignmentAssembly } from './assemble-assignment.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { toComputeView } from './devices/compute-view.ts';
import { DeviceAssigner } from './devices/device-assigner.ts';
import { DeviceHealth } from './devices/device-health.ts';
import { DevicePlugins } from './devices/device-plugins.ts';
import { DeviceRecords } from './devices/device-records.ts';
import { DeviceResources } from './devices/device-resources.ts';
import { PodResourceView } from './devices/pod-resource-view.ts';
import { readRunningContainers } from './devices/running-containers.ts';

export interface DeviceAssembly {
  readonly assigner: DeviceAssigner;
  readonly plugins: DevicePlugins;
  /** Undefined where it is not to be reported. */
  readonly health: DeviceHealth | undefined;
  readonly resources: DeviceResources;
  readonly ledger: DeviceLedger;
  readonly parts: readonly AgentPart[];
}

/** Undefined where there are no device plugins. */
export function assembleDevices(
  { kit, host, runtime }: Pick<AgentPorts, 'kit' | 'host' | 'runtime'>,
  { rootDir, features }: NodeProfile,
  numaNodes: readonly number[],
  wakeUps: PodWakeUps,
): DeviceAssembly | undefined {
  const { devicePlugins, state, files } = host;
  if (devicePlugins === undefined) return undefined;
  const resources = new DeviceResources(kit.clock);
  const ledger = new DeviceLedger();
  const directory = `${rootDir}/device-plugins`;
  const records = new DeviceRecords({ ...kit, directory, files, host: devicePlugins });
  const assigner = new DeviceAssigner({
    kit,
    resources,
    records,
    ledger,
    numaNodes,
    readRunning: (stop) => readRunningContainers(runtime.reader, kit.logger, stop),
  });
  const plugins = new DevicePlugins({ ...kit, host: devicePlugins, resources });
  const health = features('ResourceHealthStatus') ? new DeviceHealth(resources, ledger) : undefined;
  health?.subscribe((uid) => wakeUps.emit(uid, 'device health'));
  const claim = state.claim('devices', () => resources.report((name) => ledger.taken(name).size));
  resources.subscribe(() => claim.changed());
  return { assigner, plugins, health, resources, ledger, parts: [assigner, plugins] };
}

/** What tools on this machine may ask for; undefined where there are no device plugins. */
export function assemblePodResources(
  { devices, claims, cpus, memory }: Pick<AssignmentAssembly, 'devices' | 'claims' | 'cpus' | 'memory'>,
  desired: DesiredPods,
): PodResourceReader | undefined {
  if (devices === undefined) return undefined;
  const { resources, ledger } = devices;
  return new PodResourceView({
    activePods: () => desired.activePods(),
    findPod: (namespace, name) =>
      [...desired.records.values()].find(
        ({ pod: { metadata } }) => metadata.namespace === namespace && metadata.name === name,
      )?.pod,
    resources,
    ledger,
    claimsOf: (pod, container) => claims?.claims.claimsOf(pod, container) ?? [],
    compute: toComputeView(cpus, memory),
  });
}
