/** One performer for each kind of action, wired into the one function that workers call. */
import type { Gate } from '../../base/gate.ts';
import type { ContainerId, PodUid } from '../../core/pod/ids.ts';
import type { NodeFacts } from '../../core/spec/node-facts.ts';
import type { AgentPorts } from '../agent-ports.ts';
import type { CgroupRefusals } from '../cgroup-refusals.ts';
import type { CrashLoopMemory } from '../crash-loop-memory.ts';
import type { ImagePuller } from '../image-puller.ts';
import type { LifecycleHooks } from '../lifecycle-hooks.ts';
import { createPerformAction, type PerformAction } from '../perform-action.ts';
import type { PodAllocations } from '../pod-allocations.ts';
import type { PodResizer } from '../pod-resizer.ts';
import type { TerminationMessages } from '../termination-messages.ts';
import type { UserNamespaces } from '../user-namespaces.ts';
import type { VolumeReconciler } from '../volume-reconciler.ts';
import { createCreateSandbox } from './create-sandbox.ts';
import { createMountVolumes, createUnmountVolumes } from './mount-volumes.ts';
import { createReleasePod, createRemoveContainer, createRemoveSandbox, createStopSandbox } from './remove.ts';
import { createResizePod } from './resize-pod.ts';
import { createStartContainer } from './start-container.ts';
import { createStopContainers } from './stop-containers.ts';

/** The parts of the agent that performers share. */
export interface PerformerParts {
  readonly messages: TerminationMessages;
  readonly crashLoops: CrashLoopMemory;
  readonly puller: ImagePuller;
  readonly gate: Gate;
  readonly hooks: LifecycleHooks;
  readonly volumes: VolumeReconciler;
  readonly users: UserNamespaces;
  readonly refusals: CgroupRefusals;
  readonly allocations: PodAllocations;
  readonly resizer: PodResizer;
  readonly reinspect: (uid: PodUid) => void;
  readonly onStopped: (uid: PodUid, id: ContainerId) => void;
  /** The node does not take the pod after all. */
  readonly reject: (uid: PodUid, why: { readonly reason: string; readonly message: string }) => void;
}

export function assemblePerformers(
  ports: AgentPorts,
  node: NodeFacts,
  shared: PerformerParts,
): PerformAction {
  const { clock, random } = ports;
  const parts = { ...ports, ...shared, node };
  const performers = {
    'mount-volumes': createMountVolumes(parts),
    'unmount-volumes': createUnmountVolumes(parts),
    'create-sandbox': createCreateSandbox(parts),
    'start-container': createStartContainer(parts),
    'stop-containers': createStopContainers(parts),
    'stop-sandbox': createStopSandbox(parts),
    'remove-container': createRemoveContainer(parts),
    'remove-sandbox': createRemoveSandbox(parts),
    'release-pod': createReleasePod(parts),
    'resize-pod': createResizePod(parts),
  };
  return createPerformAction(performers, clock, random);
}
