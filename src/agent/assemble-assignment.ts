/** Wires what gives pods resources of their own when they are admitted. It only connects. */

import type { NodeProfile } from '../core/model/node-profile.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AssignmentSettings } from './agent-ports.ts';
import { assembleClaims, type ClaimAssembly } from './assemble-claims.ts';
import { assembleDevices, type DeviceAssembly } from './assemble-devices.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import type { HardwareSource } from './assign/hardware-source.ts';
import type { HintProvider } from './assign/hint-provider.ts';
import { PodAssigner } from './assign/pod-assigner.ts';

export interface AssignmentAssembly {
  readonly assigner: PodAssigner;
  /** Undefined where there are no device plugins. */
  readonly devices: DeviceAssembly | undefined;
  /** Undefined standalone. */
  readonly claims: ClaimAssembly | undefined;
  /** What containers were given, in the order in which it counts. */
  readonly hardware: readonly HardwareSource[];
  /** They are loaded before the first pod is admitted. */
  readonly parts: readonly AgentPart[];
}

export function assembleAssignment(
  ports: Pick<AgentPorts, 'kit' | 'host' | 'runtime' | 'cluster'>,
  { topology, numa }: AssignmentSettings,
  node: NodeProfile,
  wakeUps: PodWakeUps,
): AssignmentAssembly {
  const { kit } = ports;
  const devices = assembleDevices(ports, node, numa.nodes, wakeUps);
  const claims = assembleClaims(ports, node);
  const ofDevices = devices === undefined ? [] : [devices.assigner];
  // Devices, CPUs, memory: the order in which they are asked and give.
  const providers: readonly HintProvider[] = [...ofDevices];
  const assigner = new PodAssigner({ ...kit, providers, policy: topology, numa });
  return {
    assigner,
    devices,
    claims,
    hardware: [...(claims === undefined ? [] : [claims.claims]), ...ofDevices],
    parts: [...(claims?.parts ?? []), ...(devices?.parts ?? [])],
  };
}
