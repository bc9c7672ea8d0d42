/**
 * What a container may do: user, groups, capabilities, profiles, hidden
 * paths. The container's own settings are laid over the pod's, field by
 * field. Refusals protect `runAsNonRoot`.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container, Pod, SeLinuxOptions } from '../api/pod.ts';
import { describePod } from '../api/pod-identity.ts';
import type { ContainerSecurity } from '../model/container-config.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { NamespaceOptions } from '../model/sandbox-config.ts';
import { toAppArmorProfile, toSeccompProfile } from './security-profiles.ts';
import { containerGroups, toSupplementalGroupsPolicy } from './supplemental-groups.ts';

/** The user an image declares; neither means root. */
export interface ImageUser {
  readonly uid?: number;
  readonly username?: string;
}

export interface SecurityInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly namespaces: NamespaceOptions;
  readonly imageUser: ImageUser;
  readonly volumeGroups: readonly number[];
  readonly node: Pick<NodeProfile, 'seccompDefault' | 'rootDir' | 'thermalThrottlePaths'>;
}

const MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
const MAX_UID = 2_147_483_647;

/** Refused when `runAsNonRoot` cannot be kept or a setting has no meaning. */
export function toContainerSecurity(input: SecurityInput): Outcome<ContainerSecurity> {
  const { pod, container, namespaces, imageUser, volumeGroups, node } = input;
  const effective = effectiveContext(pod, container);
  const nonRoot = checkNonRoot(pod, container, effective, imageUser);
  if (!nonRoot.ok) return nonRoot;
  const policy = toSupplementalGroupsPolicy(pod);
  if (!policy.ok) return policy;
  const seccomp = toSeccompProfile(pod, container, node);
  if (!seccomp.ok) return seccomp;
  const apparmor = toAppArmorProfile(pod, container);
  if (!apparmor.ok) return apparmor;
  const own = container.securityContext;
  return accept({
    ...(own?.capabilities && {
      capabilities: { add: own.capabilities.add ?? [], drop: own.capabilities.drop ?? [] },
    }),
    privileged: own?.privileged ?? false,
    namespaces,
    ...(effective.selinux && { selinux: effective.selinux }),
    ...runAsUser(effective, imageUser),
    ...(effective.runAsGroup !== undefined && { runAsGroup: effective.runAsGroup }),
    readOnlyRootFilesystem: own?.readOnlyRootFilesystem ?? false,
    supplementalGroups: containerGroups(pod, volumeGroups),
    supplementalGroupsPolicy: policy.value,
    noNewPrivileges: own?.allowPrivilegeEscalation === false,
    ...hiddenPaths(container, node.thermalThrottlePaths),
    seccomp: seccomp.value,
    ...(apparmor.value && { apparmor: apparmor.value }),
  });
}

interface EffectiveContext {
  readonly runAsUser: number | undefined;
  readonly runAsGroup: number | undefined;
  readonly runAsNonRoot: boolean;
  readonly selinux: SeLinuxOptions | undefined;
}

function effectiveContext(pod: Pod, container: Container): EffectiveContext {
  const outer = pod.spec.securityContext;
  const own = container.securityContext;
  return {
    runAsUser: own?.runAsUser ?? outer?.runAsUser,
    runAsGroup: own?.runAsGroup ?? outer?.runAsGroup,
    runAsNonRoot: own?.runAsNonRoot ?? outer?.runAsNonRoot ?? false,
    selinux: own?.seLinuxOptions ?? outer?.seLinuxOptions,
  };
}

function runAsUser(
  effective: EffectiveContext,
  { uid, username }: ImageUser,
): Pick<ContainerSecurity, 'runAsUser' | 'runAsUsername'> {
  if (effective.runAsUser !== undefined) return { runAsUser: effective.runAsUser };
  if (uid === undefined && username) return { runAsUsername: username };
  return { runAsUser: uid ?? 0 };
}

function checkNonRoot(
  pod: Pod,
  container: Container,
  effective: EffectiveContext,
  image: ImageUser,
): Outcome<void> {
  if (!effective.runAsNonRoot) return accept(undefined);
  const where = `(pod: ${quote(describePod(pod))}, container: ${container.name})`;
  if (effective.runAsUser !== undefined) {
    if (effective.runAsUser !== 0) return accept(undefined);
    return refuse(`container's runAsUser breaks non-root policy ${where}`);
  }
  if (image.uid === undefined && image.username) {
    return refuse(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
  const uid = image.uid ?? 0;
  if (uid === 0) return refuse(`container has runAsNonRoot and image will run as root ${where}`);
  if (uid > 0 && uid <= MAX_UID) return accept(undefined);
  return refuse(
    `container has runAsNonRoot and image has an invalid user id (${uid}). (Must be 1-(${MAX_UID})): [must be between 0 and ${MAX_UID}, inclusive] ${where}`,
  );
}

/** Hidden even from privileged containers: the runtime decides what privilege overrides. */
function hiddenPaths(
  container: Container,
  thermalThrottlePaths: readonly string[],
): Pick<ContainerSecurity, 'maskedPaths' | 'readonlyPaths'> {
  if (container.securityContext?.procMount === 'Unmasked') return { maskedPaths: [], readonlyPaths: [] };
  return { maskedPaths: [...MASKED_PATHS, ...thermalThrottlePaths], readonlyPaths: READONLY_PATHS };
}
