/**
 * From a container of a pod to what the runtime needs to make it. Everything
 * outside the pod (image, addresses, objects, host paths) was gathered before
 * and comes in as facts.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { expand } from '../../base/text/expand.ts';
import type { StringMap } from '../api/meta.ts';
import type { Container, EphemeralContainer, Pod } from '../api/pod.ts';
import type { ContainerConfig, EnvironmentVariable } from '../model/container-config.ts';
import type { EnvironmentObjects } from '../model/environment-objects.ts';
import type { ContainerId } from '../model/ids.ts';
import { containerLogPath } from '../model/log-paths.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { IdMapping, NamespaceOptions } from '../model/sandbox-config.ts';
import { type PinnedResources, toContainerResources } from '../resources/container-resources.ts';
import { toContainerAnnotations, toContainerLabels } from './container-annotations.ts';
import { type AllocatedDevice, type PreparedBlockVolume, toDevices } from './devices.ts';
import { toEnvironment, toVariableLookup } from './environment.ts';
import { type DeviceMount, type PreparedSubPath, type PreparedVolume, toMounts } from './mounts.ts';
import { checkUserMapping, toNamespaces } from './namespaces.ts';
import { type ImageUser, toContainerSecurity } from './security.ts';
import { toSubPaths } from './sub-paths.ts';

/** What the resource managers gave the container. */
export interface HardwareAssignment extends PinnedResources {
  readonly env?: readonly EnvironmentVariable[];
  readonly mounts?: readonly DeviceMount[];
  readonly devices?: readonly AllocatedDevice[];
  readonly annotations?: StringMap;
  /** Dynamic resources first, then device plugins. */
  readonly cdiDevices?: readonly string[];
}

export interface ContainerInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly restartCount: number;
  /** The resolved image identity. */
  readonly imageId: string;
  readonly imageUser: ImageUser;
  readonly podIps: readonly string[];
  readonly node: NodeProfile;
  readonly objects: EnvironmentObjects;
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
  /** Host paths of the mounts that `toSubPaths` names, by their place in `volumeMounts`. */
  readonly subPaths?: ReadonlyMap<number, PreparedSubPath>;
  readonly blockVolumes?: ReadonlyMap<string, PreparedBlockVolume>;
  readonly volumeGroups?: readonly number[];
  /** Absent when writing it failed or was not needed; the container then starts without. */
  readonly hostsFilePath?: string | undefined;
  readonly terminationLogPath?: string | undefined;
  /** The container an ephemeral one shares its process namespace with. */
  readonly targetContainerId?: ContainerId | undefined;
  /** Of the pod's RuntimeClass; default ''. */
  readonly runtimeHandler?: string;
  readonly userMapping?: IdMapping | undefined;
  readonly hardware?: HardwareAssignment;
}

export type ContainerConfigResult =
  | { readonly ok: true; readonly config: ContainerConfig }
  | { readonly ok: false; readonly reason: 'CreateContainerConfigError'; readonly message: string };

/** The configuration, or the waiting reason and message the status shows. */
export function toContainerConfig(input: ContainerInput): ContainerConfigResult {
  const built = build(input);
  if (built.ok) return { ok: true, config: built.value };
  return { ok: false, reason: 'CreateContainerConfigError', message: built.message };
}

function build(input: ContainerInput): Outcome<ContainerConfig> {
  const { pod, container, restartCount, node, hardware = {} } = input;
  const namespaces = toContainerNamespaces(input);
  if (!namespaces.ok) return namespaces;
  const env = toEnvironment({ ...input, deviceEnv: hardware.env ?? [] });
  if (!env.ok) return env;
  const mounts = toContainerMounts(input, env.value, namespaces.value);
  if (!mounts.ok) return mounts;
  const devices = toDevices(container, hardware.devices ?? [], input.blockVolumes ?? new Map());
  if (!devices.ok) return devices;
  const security = toContainerSecurity({
    ...input,
    namespaces: namespaces.value,
    volumeGroups: input.volumeGroups ?? [],
  });
  if (!security.ok) return security;
  const lookup = toVariableLookup(env.value);
  const stopSignal = node.features('ContainerStopSignals') ? container.lifecycle?.stopSignal : undefined;
  return accept({
    name: container.name,
    attempt: restartCount,
    image: input.imageId,
    userSpecifiedImage: container.image ?? '',
    command: (container.command ?? []).map((text) => expand(text, lookup)),
    args: (container.args ?? []).map((text) => expand(text, lookup)),
    workingDir: container.workingDir ?? '',
    env: env.value,
    mounts: mounts.value,
    devices: devices.value,
    cdiDevices: hardware.cdiDevices ?? [],
    labels: toContainerLabels(pod, container),
    annotations: toContainerAnnotations(pod, container, restartCount, hardware.annotations),
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin ?? false,
    stdinOnce: container.stdinOnce ?? false,
    tty: container.tty ?? false,
    ...(stopSignal && { stopSignal }),
    resources: toContainerResources(pod, container, node, hardware),
    security: security.value,
  });
}

function toContainerNamespaces(input: ContainerInput): Outcome<NamespaceOptions> {
  const { pod, container, node, userMapping, runtimeHandler = '', targetContainerId } = input;
  const users = checkUserMapping(pod, userMapping, runtimeHandler, node);
  if (!users.ok) return users;
  const namespaces = toNamespaces(pod, userMapping);
  const target = 'targetContainerName' in container ? container.targetContainerName : undefined;
  if (!target) return accept(namespaces);
  if (targetContainerId === undefined) return refuse(`unable to find target container ${target}`);
  // Processes that are shared already, with the pod or the node, include the target's.
  if (namespaces.pid !== 'container') return accept(namespaces);
  return accept({ ...namespaces, pid: 'target', pidTargetId: targetContainerId });
}

function toContainerMounts(
  input: ContainerInput,
  env: readonly EnvironmentVariable[],
  namespaces: NamespaceOptions,
): Outcome<ContainerConfig['mounts']> {
  const { node, runtimeHandler = '' } = input;
  const subPaths = toSubPaths(input.container, env);
  if (!subPaths.ok) return subPaths;
  return toMounts({
    ...input,
    subPaths: subPaths.value,
    preparedSubPaths: input.subPaths ?? new Map(),
    deviceMounts: input.hardware?.mounts ?? [],
    hostsFilePath: input.hostsFilePath,
    terminationLogPath: input.terminationLogPath,
    user: namespaces.user,
    selinuxEnabled: node.selinuxEnabled,
    recursiveReadOnlySupported: node
      .runtimeHandlers()
      .some((handler) => handler.name === runtimeHandler && handler.recursiveReadOnlyMounts),
  });
}
