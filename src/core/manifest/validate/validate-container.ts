/**
 * Rules for one container of a defaulted pod: its names and image, ports, mounts, restart policy.
 * Probes and hooks are in validate-handler.ts, the environment in validate-variable.ts.
 */
import type { Container, ContainerPort, PodSpec, VolumeMount } from '../../api/pod.ts';
import { descendingPathFaults, labelFaults, portNameFaults } from '../../api/validate-name.ts';
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  notFoundValue,
  oneOf,
  requiredValue,
  tooMany,
  withinRange,
} from '../field/field-error.ts';
import { validateLifecycle, validateProbe } from './validate-handler.ts';
import { validateResources } from './validate-resources.ts';
import { validateContainerSecurity } from './validate-security.ts';
import { validateVariables } from './validate-variable.ts';

export interface ContainerPlace {
  readonly spec: PodSpec;
  readonly role: 'main' | 'init';
  readonly path: string;
}

export function* validateContainer(container: Container, place: ContainerPlace): Generator<FieldError> {
  const { path, spec } = place;
  if (container.name === '') yield requiredValue(`${path}.name`);
  else for (const why of labelFaults(container.name)) yield invalidValue(`${path}.name`, container.name, why);
  yield* validateImage(container, path);
  yield* oneOf(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy, [
    'File',
    'FallbackToLogsOnError',
  ]);
  yield* validatePorts(container.ports ?? [], spec.hostNetwork === true, `${path}.ports`);
  yield* validateVariables(container, spec, path);
  yield* validateMounts(container, spec, path);
  yield* validateRestart(container, place);
  yield* validateProbesAndHooks(container, place);
  yield* validateResources(container.resources ?? {}, `${path}.resources`);
  yield* validateResizePolicy(container, place);
  yield* validateContainerSecurity(container.securityContext, spec, `${path}.securityContext`);
}

function* validateImage(container: Container, path: string): Generator<FieldError> {
  const image = container.image ?? '';
  if (image === '') yield requiredValue(`${path}.image`);
  else if (image.trim() !== image) {
    yield invalidValue(`${path}.image`, image, 'must not have leading or trailing whitespace');
  }
  yield* oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']);
}

function* validatePorts(
  ports: readonly ContainerPort[],
  hostNetwork: boolean,
  path: string,
): Generator<FieldError> {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = port.name ?? '';
    if (name !== '') {
      for (const why of portNameFaults(name)) yield invalidValue(`${at}.name`, name, why);
      if (names.has(name)) yield duplicateValue(`${at}.name`, name);
      names.add(name);
    }
    if (port.containerPort === 0) yield requiredValue(`${at}.containerPort`);
    else yield* withinRange(`${at}.containerPort`, port.containerPort, 1, 65535);
    if (port.hostPort) yield* withinRange(`${at}.hostPort`, port.hostPort, 1, 65535);
    if (hostNetwork && port.hostPort !== port.containerPort) {
      const why = 'must match `containerPort` when `hostNetwork` is true';
      yield invalidValue(`${at}.hostPort`, port.hostPort, why);
    }
    yield* oneOf(`${at}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']);
  }
}

function* validateMounts(container: Container, spec: PodSpec, path: string): Generator<FieldError> {
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const paths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = `${path}.volumeMounts[${index}]`;
    if (mount.name === '') yield requiredValue(`${at}.name`);
    else if (!volumes.has(mount.name)) yield notFoundValue(`${at}.name`, mount.name);
    if (mount.mountPath === '') yield requiredValue(`${at}.mountPath`);
    if (paths.has(mount.mountPath)) yield invalidValue(`${at}.mountPath`, mount.mountPath, 'must be unique');
    paths.add(mount.mountPath);
    yield* validateMount(mount, container.securityContext?.privileged === true, at);
  }
  for (const [index, device] of (container.volumeDevices ?? []).entries()) {
    const at = `${path}.volumeDevices[${index}]`;
    const volume = volumes.get(device.name);
    if (device.name === '') yield requiredValue(`${at}.name`);
    else if (volume === undefined) yield notFoundValue(`${at}.name`, device.name);
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
      yield invalidValue(`${at}.name`, device.name, why);
    }
    if (device.devicePath === '') yield requiredValue(`${at}.devicePath`);
    if (paths.has(device.devicePath)) {
      yield invalidValue(
        `${at}.devicePath`,
        device.devicePath,
        'must not already exist as a path in volumeMounts',
      );
    }
  }
}

function* validateMount(mount: VolumeMount, privileged: boolean, path: string): Generator<FieldError> {
  for (const field of ['subPath', 'subPathExpr'] as const) {
    const value = mount[field] ?? '';
    for (const why of value === '' ? [] : descendingPathFaults(value)) {
      yield invalidValue(`${path}.${field}`, value, why);
    }
  }
  if (mount.subPath && mount.subPathExpr) {
    const why = 'subPathExpr and subPath are mutually exclusive';
    yield invalidValue(`${path}.subPathExpr`, mount.subPathExpr, why);
  }
  const { mountPropagation: propagation, recursiveReadOnly } = mount;
  yield* oneOf(`${path}.mountPropagation`, propagation, ['Bidirectional', 'HostToContainer', 'None']);
  if (propagation === 'Bidirectional' && !privileged) {
    const why = 'Bidirectional mount propagation is available only to privileged containers';
    yield forbiddenField(`${path}.mountPropagation`, why);
  }
  yield* oneOf(`${path}.recursiveReadOnly`, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible']);
  if (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible') {
    const at = `${path}.recursiveReadOnly`;
    if (mount.readOnly !== true) yield forbiddenField(at, 'may only be specified when readOnly is true');
    if (propagation !== undefined && propagation !== 'None') {
      yield forbiddenField(at, 'may only be specified when mountPropagation is None or not specified');
    }
  }
}

function* validateRestart(container: Container, { path }: ContainerPlace): Generator<FieldError> {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined && rules.length > 0) {
    yield requiredValue(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used');
  }
  yield* oneOf(`${path}.restartPolicy`, restartPolicy, ['Always', 'Never', 'OnFailure']);
  if (rules.length > 20) yield tooMany(`${path}.restartPolicyRules`, rules.length, 20);
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`;
    yield* oneOf(`${at}.action`, rule.action, ['Restart', 'RestartAllContainers']);
    if (rule.exitCodes === undefined) {
      yield requiredValue(`${at}.exitCodes`, 'must be specified');
      continue;
    }
    yield* oneOf(`${at}.exitCodes.operator`, rule.exitCodes.operator, ['In', 'NotIn']);
    const count = rule.exitCodes.values?.length ?? 0;
    if (count > 255) yield tooMany(`${at}.exitCodes.values`, count, 255);
  }
}

/** An init container that ends has nothing to probe or hook; a sidecar (restartPolicy Always) has. */
function* validateProbesAndHooks(container: Container, place: ContainerPlace): Generator<FieldError> {
  const { path, spec, role } = place;
  if (role === 'init' && container.restartPolicy !== 'Always') {
    for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[field] === undefined) continue;
      const why = 'may not be set for init containers without restartPolicy=Always';
      yield forbiddenField(`${path}.${field}`, why);
    }
    return;
  }
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 0;
  yield* validateLifecycle(container.lifecycle, graceSeconds, spec.os?.name, `${path}.lifecycle`);
  yield* validateProbe(container.livenessProbe, 'liveness', `${path}.livenessProbe`);
  yield* validateProbe(container.readinessProbe, 'readiness', `${path}.readinessProbe`);
  yield* validateProbe(container.startupProbe, 'startup', `${path}.startupProbe`);
}

function* validateResizePolicy(container: Container, place: ContainerPlace): Generator<FieldError> {
  const seen = new Set<string>();
  const endsByItself = place.role === 'init' && container.restartPolicy !== 'Always';
  for (const [index, policy] of (container.resizePolicy ?? []).entries()) {
    const at = `${place.path}.resizePolicy[${index}]`;
    if (seen.has(policy.resourceName)) yield duplicateValue(at, policy.resourceName);
    seen.add(policy.resourceName);
    yield* oneOf(`${at}.resourceName`, policy.resourceName, ['cpu', 'memory']);
    yield* oneOf(`${at}.restartPolicy`, policy.restartPolicy, ['NotRequired', 'RestartContainer']);
    if (place.spec.restartPolicy === 'Never' && policy.restartPolicy === 'RestartContainer') {
      const why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      yield invalidValue(`${at}.restartPolicy`, policy.restartPolicy, why);
    }
    if (endsByItself && policy.restartPolicy === 'RestartContainer') {
      const why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
      yield invalidValue(`${at}.restartPolicy`, policy.restartPolicy, why);
    }
  }
}
