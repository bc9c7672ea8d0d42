/**
 * Rules for the security settings of a pod and its containers, and for sharing namespaces with the host.
 */
import type { PodSecurityContext, PodSpec, SecurityContext, SecurityProfileRef } from '../../api/pod.ts';
import { descendingPathFaults } from '../../api/validate-name.ts';
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  oneOf,
  requiredValue,
  withinRange,
} from '../field/field-error.ts';

const MAX_ID = 2 ** 31 - 1;
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9][-_a-z0-9]*$/;
const IPC_SYSCTL = /^(kernel[./](shm|msg|sem)|fs[./]mqueue[./])/;

export function* validatePodSecurity(spec: PodSpec, path: string): Generator<FieldError> {
  const at = `${path}.securityContext`;
  const context: PodSecurityContext = spec.securityContext ?? {};
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) {
    yield* withinRange(`${at}.${field}`, context[field], 0, MAX_ID);
  }
  for (const [index, group] of (context.supplementalGroups ?? []).entries()) {
    yield* withinRange(`${at}.supplementalGroups[${index}]`, group, 0, MAX_ID);
  }
  yield* oneOf(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, ['Always', 'OnRootMismatch']);
  yield* oneOf(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, ['Merge', 'Strict']);
  yield* oneOf(`${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ['MountOption', 'Recursive']);
  yield* validateProfiles(context, at);
  yield* validateSysctls(spec, `${at}.sysctls`);
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
    yield invalidValue(`${path}.shareProcessNamespace`, true, why);
  }
  if (spec.hostUsers === false) {
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC'] as const) {
      if (spec[field] === true) yield forbiddenField(`${path}.${field}`, 'when `hostUsers` is false');
    }
  }
}

export function* validateContainerSecurity(
  context: SecurityContext | undefined,
  spec: PodSpec,
  path: string,
): Generator<FieldError> {
  if (context === undefined) return;
  yield* withinRange(`${path}.runAsUser`, context.runAsUser, 0, MAX_ID);
  yield* withinRange(`${path}.runAsGroup`, context.runAsGroup, 0, MAX_ID);
  yield* oneOf(`${path}.procMount`, context.procMount, ['Default', 'Unmasked']);
  if (context.procMount === 'Unmasked' && spec.hostUsers !== false) {
    yield invalidValue(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`');
  }
  yield* validateProfiles(context, path);
  if (context.allowPrivilegeEscalation !== false) return;
  if (context.privileged === true) {
    const why = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    yield invalidValue(path, context, why);
  }
  if (context.capabilities?.add?.includes('CAP_SYS_ADMIN') === true) {
    const why = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    yield invalidValue(path, context, why);
  }
}

function* validateProfiles(
  context: Pick<SecurityContext, 'seccompProfile' | 'appArmorProfile'>,
  path: string,
): Generator<FieldError> {
  yield* validateProfile(context.seccompProfile, 'seccomp', `${path}.seccompProfile`);
  yield* validateProfile(context.appArmorProfile, 'AppArmor', `${path}.appArmorProfile`);
}

function* validateProfile(
  profile: SecurityProfileRef | undefined,
  what: 'seccomp' | 'AppArmor',
  path: string,
): Generator<FieldError> {
  if (profile === undefined) return;
  const type: string = profile.type;
  if (type === '') {
    const field = what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile';
    yield requiredValue(`${path}.type`, `type is required when ${field} is set`);
  } else yield* oneOf(`${path}.type`, type, ['Localhost', 'RuntimeDefault', 'Unconfined']);
  const local = profile.localhostProfile ?? '';
  if (type === 'Localhost' && local === '') {
    yield requiredValue(`${path}.localhostProfile`, `must be set when ${what} type is Localhost`);
  } else if (type === 'Localhost' && what === 'seccomp') {
    for (const why of descendingPathFaults(local)) yield invalidValue(`${path}.localhostProfile`, local, why);
  } else if (type !== 'Localhost' && local !== '') {
    yield invalidValue(`${path}.localhostProfile`, local, `can only be set when ${what} type is Localhost`);
  }
}

function* validateSysctls(spec: PodSpec, path: string): Generator<FieldError> {
  const seen = new Set<string>();
  for (const [index, { name }] of (spec.securityContext?.sysctls ?? []).entries()) {
    const at = `${path}[${index}].name`;
    if (name === '') yield requiredValue(at);
    else if (name.length > 253 || !SYSCTL.test(name)) {
      yield invalidValue(at, name, 'must have at most 253 characters and be the name of a sysctl');
    } else if (seen.has(name)) yield duplicateValue(at, name);
    seen.add(name);
    if (spec.hostNetwork === true && /^net[./]/.test(name)) {
      yield invalidValue(at, name, "may not be specified when 'hostNetwork' is true");
    }
    if (spec.hostIPC === true && IPC_SYSCTL.test(name)) {
      yield invalidValue(at, name, "may not be specified when 'hostIPC' is true");
    }
  }
}
