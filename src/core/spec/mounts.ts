/**
 * A container's mounts, in the order the runtime gets them: those of devices,
 * the volume mounts as written, the hosts file, the termination log. Host
 * paths were prepared before; nothing is looked up on disk.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container, Pod, VolumeMount } from '../api/pod.ts';
import type { Mount, MountedImage } from '../model/container-config.ts';
import type { NamespaceOptions } from '../model/sandbox-config.ts';
import { HOSTS_FILE_PATH, needsHostsFile } from './hosts-file.ts';
import type { SubPath } from './sub-paths.ts';

/** A volume of the pod that is ready to be mounted into containers. */
export interface PreparedVolume {
  /** Unused for an image volume. */
  readonly hostPath: string;
  readonly readOnly: boolean;
  /** The volume is the agent's to relabel and carries no label yet. */
  readonly selinuxRelabel: boolean;
  /** Set for an image volume. */
  readonly image?: MountedImage;
}

export type PreparedSubPath = { readonly hostPath: string } | { readonly failed: 'create' | 'prepare' };

export interface DeviceMount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly readOnly: boolean;
}

export interface MountInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIps: readonly string[];
  readonly volumes: ReadonlyMap<string, PreparedVolume>;
  readonly subPaths: readonly SubPath[];
  /** By the place of the mount in `volumeMounts`. */
  readonly preparedSubPaths: ReadonlyMap<number, PreparedSubPath>;
  readonly deviceMounts: readonly DeviceMount[];
  readonly hostsFilePath: string | undefined;
  readonly terminationLogPath: string | undefined;
  readonly user: NamespaceOptions['user'];
  readonly selinuxEnabled: boolean;
  /** What the pod's runtime handler can do. */
  readonly recursiveReadOnlySupported: boolean;
}

/** Refused when a volume is missing or a mount asks for something that cannot be given. */
export function toMounts(input: MountInput): Outcome<Mount[]> {
  const { pod, container, podIps, hostsFilePath, terminationLogPath } = input;
  const mounts: Mount[] = input.deviceMounts.map((mount) => toMount(input, mount));
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const made = toVolumeMount(input, mount, index);
    if (!made.ok) return made;
    mounts.push(made.value);
  }
  if (hostsFilePath !== undefined && needsHostsFile(pod, container, podIps)) {
    mounts.push(toMount(input, { containerPath: HOSTS_FILE_PATH, hostPath: hostsFilePath, relabel: true }));
  }
  if (terminationLogPath !== undefined && container.terminationMessagePath) {
    const containerPath = toAbsolute(container.terminationMessagePath);
    mounts.push(toMount(input, { containerPath, hostPath: terminationLogPath, relabel: true }));
  }
  return accept(mounts);
}

function toVolumeMount(input: MountInput, mount: VolumeMount, index: number): Outcome<Mount> {
  const volume = input.volumes.get(mount.name);
  if (volume === undefined) {
    return refuse(
      `cannot find volume ${quote(mount.name)} to mount into container ${quote(input.container.name)}`,
    );
  }
  const hostPath = toHostPath(input, mount, volume, index);
  if (!hostPath.ok) return hostPath;
  const propagation = toPropagation(mount);
  if (!propagation.ok) return propagation;
  const recursive = toRecursiveReadOnly(mount, input.recursiveReadOnlySupported);
  if (!recursive.ok) return recursive;
  const subPath = input.subPaths.find((candidate) => candidate.index === index)?.path;
  return accept({
    ...toMount(input, {
      containerPath: toAbsolute(mount.mountPath),
      hostPath: hostPath.value,
      readOnly: mount.readOnly === true || volume.readOnly,
      relabel: volume.selinuxRelabel,
    }),
    propagation: propagation.value,
    recursiveReadOnly: recursive.value,
    ...(volume.image !== undefined && { image: volume.image }),
    ...(volume.image !== undefined && subPath !== undefined && { imageSubPath: subPath }),
  });
}

function toHostPath(
  input: MountInput,
  mount: VolumeMount,
  volume: PreparedVolume,
  index: number,
): Outcome<string> {
  if (volume.image !== undefined) return accept('');
  if (!input.subPaths.some((subPath) => subPath.index === index)) return accept(volume.hostPath);
  const prepared = input.preparedSubPaths.get(index);
  if (prepared !== undefined && 'hostPath' in prepared) return accept(prepared.hostPath);
  // The cause stays in the log: it could reveal paths of the node to the user.
  const step = prepared?.failed === 'create' ? 'create subPath directory' : 'prepare subPath';
  return refuse(
    `failed to ${step} for volumeMount ${quote(mount.name)} of container ${quote(input.container.name)}`,
  );
}

function toPropagation({ mountPropagation }: VolumeMount): Outcome<Mount['propagation']> {
  switch (mountPropagation) {
    case undefined:
    case 'None':
      return accept('private');
    case 'HostToContainer':
      return accept('host-to-container');
    case 'Bidirectional':
      return accept('bidirectional');
    default:
      return refuse(`invalid MountPropagation mode: ${quote(mountPropagation satisfies never)}`);
  }
}

function toRecursiveReadOnly(mount: VolumeMount, supported: boolean): Outcome<boolean> {
  const { recursiveReadOnly: mode, mountPropagation, name } = mount;
  if (mode === undefined || mode === 'Disabled') return accept(false);
  const asked = `failed to resolve recursive read-only mode: volume ${quote(name)} requested recursive read-only mode`;
  if (mount.readOnly !== true) return refuse(`${asked}, but it is not read-only`);
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    return refuse(`${asked}, but it is not compatible with propagation ${quote(mountPropagation)}`);
  }
  if (mode === 'IfPossible') return accept(supported);
  return supported ? accept(true) : refuse(`${asked}, but it is not supported by the runtime`);
}

function toMount(input: MountInput, part: Partial<DeviceMount> & { relabel?: boolean }): Mount {
  const { user } = input;
  return {
    containerPath: part.containerPath ?? '',
    hostPath: part.hostPath ?? '',
    readOnly: part.readOnly ?? false,
    recursiveReadOnly: false,
    selinuxRelabel: part.relabel === true && input.selinuxEnabled,
    propagation: 'private',
    uidMappings: user === 'node' ? [] : user.uids,
    gidMappings: user === 'node' ? [] : user.gids,
  };
}

function toAbsolute(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}
