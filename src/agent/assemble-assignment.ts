/** Wires what gives pods resources of their own when they are admitted. It only connects. */
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AssignmentSettings } from './agent-ports.ts';
import type { HintProvider } from './assign/hint-provider.ts';
import { PodAssigner } from './assign/pod-assigner.ts';

export interface AssignmentAssembly {
  readonly assigner: PodAssigner;
  /** They are loaded before the first pod is admitted. */
  readonly parts: readonly AgentPart[];
}

export function assembleAssignment(
  { kit }: Pick<AgentPorts, 'kit'>,
  { topology, numa }: AssignmentSettings,
): AssignmentAssembly {
  // Devices, CPUs, memory: the order in which they are asked and give.
  const providers: readonly HintProvider[] = [];
  const assigner = new PodAssigner({ ...kit, providers, policy: topology, numa });
  return { assigner, parts: [] };
}
