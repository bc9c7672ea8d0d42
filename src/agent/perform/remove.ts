/**
 * Takes away what ended: containers with their logs and, at the very end,
 * everything the agent kept for the pod on the host. Each step may be repeated;
 * what is already gone counts as removed.
 */

import type { Gate } from '../../base/async/gate.ts';
import { legacyLogLink, podLogDirectory } from '../../core/model/log-paths.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { podDirectory } from '../../core/model/pod-paths.ts';
import { podCgroupName, toCgroupPath } from '../../core/resources/cgroup-names.ts';
import { computeQosClass } from '../../core/resources/qos.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { PodClaims } from '../claims/pod-claims.ts';
import { done, type Performer } from '../pod/perform-action.ts';
import { startRank } from '../pod/start-rank.ts';
import type { TerminationMessages } from '../pod/termination-messages.ts';
import type { VolumeReconciler } from '../volume/volume-reconciler.ts';
import { KEEP_PLACE_MS } from './end-sandbox.ts';

export interface RemoveParts {
  readonly runtime: ContainerRuntime;
  readonly endGate: Gate;
  readonly files: HostFiles;
  readonly cgroups: PodCgroups;
  readonly node: NodeProfile;
  readonly messages: TerminationMessages;
  readonly volumes: Pick<VolumeReconciler, 'unmountAgain'>;
  /** Undefined where there are no dynamic resources. */
  readonly claims: Pick<PodClaims, 'unprepare'> | undefined;
}

export function removeContainerPerformer({
  runtime,
  endGate,
  files,
  messages,
}: RemoveParts): Performer<'remove-container'> {
  return async ({ id, name, keepLogs }, { record, observed, signal, label }) => {
    const logPath = observed.containers.find((container) => container.id === id)?.details?.logPath;
    await files.removeTree(legacyLogLink(record.pod, name, id));
    const remove = () => runtime.removeContainer(id, { signal, label });
    await endGate.run(startRank(record), signal, remove, KEEP_PLACE_MS);
    // After the container: its log carries the restart count, which must not be forgotten before it.
    if (!keepLogs && logPath !== undefined && logPath !== '') await removeLogs(files, logPath);
    messages.forget(id);
    return done;
  };
}

/** A driver that is away, or refuses, holds up the end of the pod: its devices may still be in use. */
export function releaseClaimsPerformer({ claims }: Pick<RemoveParts, 'claims'>): Performer<'release-claims'> {
  return async (_action, { record, signal }) => {
    await claims?.unprepare(record.uid, signal);
    return done;
  };
}

export function releasePodPerformer({
  files,
  cgroups,
  node,
  volumes,
}: RemoveParts): Performer<'release-pod'> {
  return async (_action, { record }) => {
    const { pod, uid } = record;
    if (node.cgroupsPerQos) {
      const qosClasses =
        record.source === 'runtime'
          ? (['Guaranteed', 'Burstable', 'BestEffort'] as const)
          : [computeQosClass(pod, node.features('PodLevelResources'))];
      for (const qos of qosClasses)
        await cgroups.remove(toCgroupPath(podCgroupName(node.cgroupRoot, qos, uid), node.cgroupDriver));
    }
    // The directories go last: after a kill they show that there is something left to release.
    await files.removeTree(podLogDirectory(node.podLogsDir, pod));
    try {
      await files.removeTree(podDirectory(node.rootDir, uid));
    } catch (error) {
      // Something may be mounted there after all: a mount that was under way when an agent was killed, say.
      volumes.unmountAgain(uid);
      throw error;
    }
    return done;
  };
}

/** The log and its rotated copies, which share its name. */
async function removeLogs(files: HostFiles, logPath: string): Promise<void> {
  const slash = logPath.lastIndexOf('/');
  const directory = logPath.slice(0, slash);
  const name = logPath.slice(slash + 1);
  for (const entry of await files.listDirectory(directory)) {
    if (entry.startsWith(name)) await files.removeTree(`${directory}/${entry}`);
  }
}
