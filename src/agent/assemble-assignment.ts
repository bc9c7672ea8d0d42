/** Wires what gives pods resources of their own when they are admitted. It only connects. */

import type { NodeProfile } from '../core/model/node-profile.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AssignmentSettings } from './agent-ports.ts';
import { assembleClaims, type ClaimAssembly } from './assemble-claims.ts';
import { assembleDevices, type DeviceAssembly } from './assemble-devices.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import type { ContainerHardware } from './assign/container-hardware.ts';
import { ContainerPins } from './assign/container-pins.ts';
import { CpuAssigner } from './assign/cpu-assigner.ts';
import type { HintProvider } from './assign/hint-provider.ts';
import { MemoryAssigner } from './assign/memory-assigner.ts';
import { PodAssigner } from './assign/pod-assigner.ts';

export interface AssignmentAssembly {
  readonly assigner: PodAssigner;
  /** Undefined where there are no device plugins. */
  readonly devices: DeviceAssembly | undefined;
  /** Undefined standalone. */
  readonly claims: ClaimAssembly | undefined;
  readonly hardware: ContainerHardware;
  readonly cpus: CpuAssigner;
  readonly memory: MemoryAssigner;
  readonly pins: ContainerPins;
  /** They are loaded before the first pod is admitted. */
  readonly parts: readonly AgentPart[];
}

export function assembleAssignment(
  ports: Pick<AgentPorts, 'kit' | 'host' | 'runtime' | 'cluster'>,
  { topology, numa, cpuPolicy, memory: fresh, retryMs }: AssignmentSettings,
  node: NodeProfile,
  wakeUps: PodWakeUps,
): AssignmentAssembly {
  const { kit, host } = ports;
  const files = { ...kit, ...host, rootDir: node.rootDir };
  const devices = assembleDevices(ports, node, numa.nodes, wakeUps);
  const claims = assembleClaims(ports, node, wakeUps);
  const ofDevices = devices === undefined ? [] : [devices.assigner];
  const cpus = new CpuAssigner({ ...files, policy: cpuPolicy });
  const memory = new MemoryAssigner({ ...files, fresh });
  // Devices, CPUs, memory: the order in which they are asked and give.
  const providers: readonly HintProvider[] = [...ofDevices, cpus, memory];
  const assigner = new PodAssigner({ ...kit, providers, policy: topology, numa });
  const pins = new ContainerPins({ cpus, memory, retryMs });
  const ofClaims = claims === undefined ? [] : [claims.claims];
  const hardware = { sources: [...ofClaims, ...ofDevices, pins], pins };
  const parts = [...(claims?.parts ?? []), ...(devices?.parts ?? []), cpus, memory, pins, assigner];
  return { assigner, devices, claims, cpus, memory, pins, hardware, parts };
}
