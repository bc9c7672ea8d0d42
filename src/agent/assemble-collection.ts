/** Wires what keeps the disks of the node from filling up, and what watches for a lack of memory. It only connects. */
import type { NodeReclaim } from '../ports/host/node-reclaim.ts';
import { inSpan } from '../ports/tracer.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { PodFoundations } from './assemble-pods.ts';
import type { RuntimeAssembly } from './assemble-runtime.ts';
import { removeDeadContainers } from './collection/dead-container-reclaim.ts';
import { ImageCollector } from './collection/image-collector.ts';
import { LogRotator } from './logs/log-rotator.ts';
import { OomWatcher } from './node/oom-watcher.ts';

const CONTAINER_TRACE_SCOPE = 'k8s.io/kubernetes/pkg/kubelet/kuberuntime';

export interface CollectionAssembly {
  readonly images: ImageCollector;
  readonly reclaim: NodeReclaim;
  readonly parts: readonly AgentPart[];
}

export function assembleCollection(
  ports: AgentPorts,
  settings: AgentSettings,
  foundations: PodFoundations,
): CollectionAssembly {
  const { kit, runtime } = ports;
  const { board, wakeUps, runtime: observed } = foundations;
  const images = assembleImageCollector(ports, settings, foundations);
  const containers = {
    kit,
    reader: runtime.reader,
    deadContainers: observed.deadContainers,
    hasEnded: board.hasEnded.bind(board),
    wake: (uid: Parameters<typeof board.hasEnded>[0]) => wakeUps.emit(uid, 'dead containers'),
  };
  const reclaim: NodeReclaim = {
    removeDeadContainers: (signal) =>
      inSpan(
        kit.tracer,
        () => ({ name: 'Containers/GarbageCollect', scope: CONTAINER_TRACE_SCOPE }),
        () => removeDeadContainers(containers, signal),
      ),
    removeUnusedImages: (signal) => images.removeUnusedImages(signal),
  };
  const parts = [images, ...rotation(ports, settings, observed), ...oomWatch(ports, settings)];
  return { images, reclaim, parts };
}

function assembleImageCollector(
  { kit, runtime, images, statistics }: AgentPorts,
  { imageCollection: policy }: AgentSettings,
  { resources, runtime: observed, images: pulls }: PodFoundations,
): ImageCollector {
  const collector = new ImageCollector({
    kit,
    images: images.images,
    reader: runtime.reader,
    fileSystems: statistics.fileSystems,
    meter: images.imageMeter,
    policy,
    readPods: () => resources.desired.activePods(),
    pruneRecords: (kept, beforeMs) => pulls.records.prune(kept, beforeMs),
  });
  observed.reads.subscribe((pod) => collector.noteRead(pod));
  return collector;
}

function rotation(
  { kit, host, runtime }: AgentPorts,
  { logRotation: policy }: AgentSettings,
  { reads }: RuntimeAssembly,
): AgentPart[] {
  if (policy === undefined) return [];
  const rotator = new LogRotator({ ...kit, ...host, ...runtime, policy });
  reads.subscribe((pod) => rotator.noteRead(pod));
  return [rotator];
}

function oomWatch({ kit, host }: AgentPorts, { node }: AgentSettings): AgentPart[] {
  const { kernelMessages } = host;
  if (kernelMessages === undefined) return [];
  const inUserNamespace = node.features('KubeletInUserNamespace');
  return [new OomWatcher({ kit, kernelMessages, inUserNamespace })];
}
