/**
 * Gathers what a container's configuration needs from outside the pod (its
 * number, volumes, hosts file, termination log) and builds it.
 */

import { randomUUID } from 'node:crypto';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { StartContainer } from '../../core/model/actions.ts';
import type { EnvironmentObjects } from '../../core/model/environment-objects.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { podLogDirectory } from '../../core/model/log-paths.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { newestInstance } from '../../core/model/observed-pod.ts';
import { joinInside } from '../../core/model/path-component.ts';
import { containerDirectory, hostsFilePath, podDirectory } from '../../core/model/pod-paths.ts';
import { computeRestartCount } from '../../core/pod/restart-count.ts';
import { toEnvironment } from '../../core/spec/environment.ts';
import { toPodHostname } from '../../core/spec/hostname.ts';
import { HOSTS_FILE_PATH, needsHostsFile, renderHostsFile } from '../../core/spec/hosts-file.ts';
import { mergeHardware } from '../../core/spec/merge-hardware.ts';
import type { PreparedSubPath, PreparedVolume } from '../../core/spec/mounts.ts';
import { toSubPaths } from '../../core/spec/sub-paths.ts';
import { type ContainerConfigResult, toContainerConfig } from '../../core/spec/to-container-config.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ImageInfo } from '../../ports/runtime/image-service.ts';
import type { SubPathBinder } from '../../ports/storage/volume-driver.ts';
import type { ContainerHardware } from '../assign/container-hardware.ts';
import type { ActionContext } from '../pod/perform-action.ts';
import type { UserNamespaces } from '../resources/user-namespaces.ts';
import type { VolumeReconciler } from '../volume/volume-reconciler.ts';
import { gatherEnvironmentObjects } from './environment-gatherer.ts';

export interface ContainerSettingsParts {
  readonly files: HostFiles;
  readonly node: NodeProfile;
  readonly volumes: Pick<VolumeReconciler, 'prepared' | 'preparedBlocks' | 'groups' | 'prepareSubPaths'>;
  readonly objects: ObjectReader;
  readonly subPaths: Pick<SubPathBinder, 'readFile'>;
  readonly services: EnvironmentObjects['services'];
  readonly hardware: ContainerHardware;
  readonly users: Pick<UserNamespaces, 'mappingOf'> | undefined;
}

/** Rejects with AgentError when the host cannot be written; a refusal of the rules is a value. */
export async function gatherContainerConfig(
  parts: ContainerSettingsParts,
  action: StartContainer,
  { record, observed, signal }: ActionContext,
  image: { readonly imageId: string; readonly info: ImageInfo | undefined },
  imageVolumes: ReadonlyMap<string, PreparedVolume> = new Map(),
): Promise<ContainerConfigResult> {
  const { files, node } = parts;
  const { pod, uid } = record;
  const { container } = action;
  const sandbox = observed.sandboxes.find(({ id }) => id === action.sandboxId);
  const podIps = sandbox?.network?.ips ?? [];
  // The sandbox may outlive its directories: a call of a killed agent can end after the pod was released.
  await files.makeDirectory(podDirectory(node.rootDir, uid), 0o750);
  await files.makeDirectory(podLogDirectory(node.podLogsDir, pod), 0o755);
  const newest = newestInstance(observed, container.name);
  const logs =
    newest === undefined || newest.state === 'created'
      ? await files.listDirectory(joinInside(podLogDirectory(node.podLogsDir, pod), container.name))
      : [];
  const volumes = new Map([...parts.volumes.prepared(uid), ...imageVolumes]);
  const objects = await gatherEnvironmentObjects(parts, pod, container, volumes, signal);
  const env = toEnvironment({ pod, container, podIps, objects, node });
  const wanted = env.ok ? toSubPaths(container, env.value) : env;
  // A refusal is reported by the configuration below.
  const subPaths = wanted.ok
    ? await parts.volumes.prepareSubPaths(uid, container.name, wanted.value, signal)
    : new Map<number, PreparedSubPath>();
  const hosts = needsHostsFile(pod, container, podIps)
    ? await writeHostsFile(files, node, record.pod, podIps)
    : undefined;
  const terminationLog = await makeTerminationLog(files, node, uid, container);
  const target =
    'targetContainerName' in container
      ? newestInstance(observed, String(container.targetContainerName))
      : undefined;
  const mapping = await parts.users?.mappingOf(pod, sandbox?.runtimeHandler ?? '');
  if (mapping?.ok === false)
    return { ok: false, reason: 'CreateContainerConfigError', message: mapping.message };
  const given = await Promise.all(
    parts.hardware.sources.map((source) => source.readHardware(pod, container, signal)),
  );
  return toContainerConfig({
    pod,
    container,
    restartCount: computeRestartCount(newest, logs),
    runtimeHandler: sandbox?.runtimeHandler ?? '',
    imageId: image.imageId,
    imageUser: image.info ?? {},
    podIps,
    node,
    objects,
    volumes,
    blockVolumes: parts.volumes.preparedBlocks(uid),
    volumeGroups: parts.volumes.groups(uid),
    subPaths,
    hardware: mergeHardware(given),
    userMapping: mapping?.value,
    hostsFilePath: hosts,
    terminationLogPath: terminationLog,
    targetContainerId: target?.id,
  });
}

async function writeHostsFile(
  files: HostFiles,
  node: NodeProfile,
  pod: ActionContext['record']['pod'],
  podIps: readonly string[],
): Promise<string | undefined> {
  const name = toPodHostname(pod, node);
  if (!name.ok) return undefined;
  const hostFile = pod.spec.hostNetwork === true ? ((await files.readFile(HOSTS_FILE_PATH)) ?? '') : '';
  const path = hostsFilePath(node.rootDir, toPodUid(pod.metadata.uid));
  const text = renderHostsFile(pod, podIps, name.value, hostFile);
  try {
    await files.writeFile(path, text, 0o644, { isPassing: true });
  } catch (error) {
    // On a full disk what an earlier start has written is as good.
    if (!hasCode(error, 'resource-exhausted') || (await files.readFile(path)) !== text) throw error;
  }
  return path;
}

/** A fresh file for the container's last words; it starts without one when none can be made. */
async function makeTerminationLog(
  files: HostFiles,
  node: NodeProfile,
  uid: PodUid,
  container: StartContainer['container'],
): Promise<string | undefined> {
  if (!container.terminationMessagePath) return undefined;
  const directory = containerDirectory(node.rootDir, uid, container.name);
  const path = `${directory}/${randomUUID().slice(0, 8)}`;
  try {
    await files.makeDirectory(directory, 0o750);
    await files.writeFile(path, '', 0o666, { isPassing: true });
    return path;
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  }
}
