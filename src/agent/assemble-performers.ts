/** One performer for each kind of action, wired into the one function that workers call. */
import type { Gate } from '../base/async/gate.ts';
import type { ContainerId, PodUid, SandboxId } from '../core/model/ids.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { AssignmentAssembly } from './assemble-assignment.ts';
import type { ImagePuller } from './image/image-puller.ts';
import { sandboxPerformer } from './perform/create-sandbox.ts';
import { removeSandboxPerformer, stopSandboxPerformer } from './perform/end-sandbox.ts';
import { mountVolumesPerformer, unmountVolumesPerformer } from './perform/mount-volumes.ts';
import { pinContainersPerformer } from './perform/pin-containers.ts';
import { postStartRunner } from './perform/post-start.ts';
import { releaseClaimsPerformer, releasePodPerformer, removeContainerPerformer } from './perform/remove.ts';
import { resizePodPerformer } from './perform/resize-pod.ts';
import { ResolverFile } from './perform/resolver-file.ts';
import { startContainerPerformer } from './perform/start-container.ts';
import { stopContainersPerformer } from './perform/stop-containers.ts';
import type { CrashLoopMemory } from './pod/crash-loop-memory.ts';
import type { LifecycleHooks } from './pod/lifecycle-hooks.ts';
import { createPerformAction, type PerformAction } from './pod/perform-action.ts';
import type { TerminationMessages } from './pod/termination-messages.ts';
import type { CgroupRefusals } from './resources/cgroup-refusals.ts';
import type { PodAllocations } from './resources/pod-allocations.ts';
import type { PodResizer } from './resources/pod-resizer.ts';
import type { QosCgroups } from './resources/qos-cgroups.ts';
import type { UserNamespaces } from './resources/user-namespaces.ts';
import type { VolumeReconciler } from './volume/volume-reconciler.ts';

/** The parts of the agent that performers share. */
export interface PerformerParts {
  readonly messages: TerminationMessages;
  readonly crashLoops: CrashLoopMemory;
  readonly puller: Pick<ImagePuller, 'ensure'>;
  readonly gates: { readonly start: Gate; readonly end: Gate };
  readonly hooks: LifecycleHooks;
  readonly volumes: VolumeReconciler;
  readonly resources: ResourceParts;
  readonly listeners: PerformerListeners;
}

interface ResourceParts {
  readonly users: UserNamespaces;
  readonly refusals: CgroupRefusals;
  readonly tiers: QosCgroups;
  readonly allocations: PodAllocations;
  readonly resizer: PodResizer;
  readonly assignment: Pick<AssignmentAssembly, 'claims' | 'hardware' | 'pins'>;
}

interface PerformerListeners {
  readonly reinspect: (uid: PodUid) => void;
  readonly onStopped: (uid: PodUid, id: ContainerId) => void;
  /** The node does not take the pod after all. */
  readonly reject: (uid: PodUid, why: { readonly reason: string; readonly message: string }) => void;
}

export function assemblePerformers(
  ports: AgentPorts,
  node: NodeProfile,
  shared: PerformerParts,
): PerformAction {
  const { kit, runtime, host, storage, objects } = ports;
  const { resources, listeners, gates, ...others } = shared;
  const { assignment, refusals, tiers } = resources;
  const { hardware, pins, claims } = assignment;
  const parts = {
    ...{ kit, ...kit, ...runtime, ...host, ...storage, ...objects },
    ...{ ...others, ...resources, ...listeners, node, hardware, pins, claims: claims?.claims },
    ...{ gate: gates.start, endGate: gates.end, stopped: new Set<SandboxId>() },
    resolver: new ResolverFile(host.files, kit.clock, node.resolvConfPath),
  };
  const cgroup = { ...host, refusals, tiers, pins, logger: kit.logger, node };
  const performers = {
    'mount-volumes': mountVolumesPerformer(parts),
    'unmount-volumes': unmountVolumesPerformer(parts),
    'create-sandbox': sandboxPerformer({ ...parts, settings: parts, cgroup }),
    'start-container': startContainerPerformer({ ...parts, settings: parts }, postStartRunner(parts)),
    'stop-containers': stopContainersPerformer(parts),
    'stop-sandbox': stopSandboxPerformer(parts),
    'remove-container': removeContainerPerformer(parts),
    'remove-sandbox': removeSandboxPerformer(parts),
    'release-claims': releaseClaimsPerformer(parts),
    'release-pod': releasePodPerformer(parts),
    'resize-pod': resizePodPerformer(parts),
    'pin-containers': pinContainersPerformer(parts),
  };
  return createPerformAction(performers, kit.clock, kit.random);
}
