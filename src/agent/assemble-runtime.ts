/** Wires what looks at the container runtime. It only connects. */
import { Emitter } from '../base/async/emitter.ts';
import { errorText } from '../base/errors.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { ObservedPod } from '../core/model/observed-pod.ts';
import type { Kit } from '../ports/kit.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, PodSettings } from './agent-ports.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { claimRuntimeState } from './node/claim-runtime-state.ts';
import { DeadContainers } from './pod/dead-containers.ts';
import { RuntimeMonitor } from './runtime/runtime-monitor.ts';
import { RuntimeName } from './runtime/runtime-name.ts';
import { RuntimeObserver } from './runtime/runtime-observer.ts';

const FAILED_COLLECTION_MS = 60_000;

/** Wakes the worker of a pod, which comes later: what happened, in a few words. */
export type PodWakeUps = Emitter<[uid: PodUid, reason: string]>;

export interface RuntimeAssembly {
  readonly name: RuntimeName;
  readonly monitor: RuntimeMonitor;
  readonly observer: RuntimeObserver;
  readonly deadContainers: DeadContainers;
  /** After each complete listing of the runtime. */
  readonly relists: Emitter<[]>;
  /** After each reading of one pod. */
  readonly reads: Emitter<[ObservedPod]>;
  readonly parts: readonly AgentPart[];
}

export function assembleRuntime(
  { kit, host, runtime: { reader, losses } }: Pick<AgentPorts, 'kit' | 'host' | 'runtime'>,
  { deadContainers: policy, resyncMs }: Pick<PodSettings, 'deadContainers' | 'resyncMs'>,
  desired: Pick<DesiredPods, 'records'>,
  wakeUps: PodWakeUps,
): RuntimeAssembly {
  const name = new RuntimeName(reader);
  const monitor = new RuntimeMonitor({ ...kit, reader, losses });
  const relists = new Emitter<[]>();
  const reads = new Emitter<[ObservedPod]>();
  const observer = new RuntimeObserver({
    kit,
    reader,
    ...(resyncMs !== undefined && { relistMs: resyncMs }),
    onPodChanged: (uid) => wakeUps.emit(uid, 'runtime'),
    knows: (uid) => desired.records.has(uid),
    onRelistFailed: reportFailedCollection(kit),
    onRead: (pod) => reads.emit(pod),
    onRelist: () => relists.emit(),
  });
  claimRuntimeState(host.state, monitor, observer);
  const deadContainers = new DeadContainers(kit.clock, policy);
  relists.subscribe(() => {
    for (const uid of deadContainers.review(observer.listed)) wakeUps.emit(uid, 'dead containers');
  });
  return { name, monitor, observer, deadContainers, relists, reads, parts: [name, monitor, observer] };
}

/** Without a list no dead container is removed: the node says so, once a minute as long as it lasts. */
function reportFailedCollection({ clock, events }: Pick<Kit, 'clock' | 'events'>): (error: unknown) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (clock.steady() - reportedAtMs < FAILED_COLLECTION_MS) return;
    reportedAtMs = clock.steady();
    const message = errorText(error);
    events.record({ about: 'node', type: 'Warning', reason: 'ContainerGCFailed', message });
  };
}
