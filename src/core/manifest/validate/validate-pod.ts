/**
 * The rules of pod creation that matter on a node, for pods no API server has validated. Takes a defaulted pod
 * and gathers every violation; knows nothing of static pods. Scheduling fields (affinity, spread) have their
 * types checked when the manifest is decoded and are not looked into: no scheduler reads them here.
 */
import type { Container, HostAlias, Pod, PodDnsConfig, PodSpec, Toleration } from '../../api/pod.ts';
import {
  isIpAddress,
  labelFaults,
  labelValueFaults,
  qualifiedNameFaults,
  searchDomainFaults,
  subdomainFaults,
} from '../../api/validate-name.ts';
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  oneOf,
  requiredValue,
  withinRange,
} from '../field/field-error.ts';
import { validateContainer } from './validate-container.ts';
import { validateMeta } from './validate-meta.ts';
import { validatePodResources, validateResources } from './validate-resources.ts';
import { validatePodSecurity } from './validate-security.ts';
import { validateVolumes } from './validate-volume.ts';

const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Everything wrong with `pod`, in the order of its fields; empty when it may run. */
export function validatePod(pod: Pod): readonly FieldError[] {
  return [...validateMeta(pod.metadata), ...validateSpec(pod.spec, 'spec')];
}

function* validateSpec(spec: PodSpec, path: string): Generator<FieldError> {
  yield* validateVolumes(spec.volumes ?? [], `${path}.volumes`);
  yield* validateContainers(spec, path);
  yield* validatePolicies(spec, path);
  yield* validateNaming(spec, path);
  yield* validateNetwork(spec, path);
  yield* validatePodSecurity(spec, path);
  yield* validatePodResources(spec, `${path}.resources`);
  yield* validateResources({ limits: spec.overhead ?? {} }, `${path}.overhead`);
  yield* validatePlacement(spec, path);
}

function* validateContainers(spec: PodSpec, path: string): Generator<FieldError> {
  const { containers, initContainers = [], ephemeralContainers = [] } = spec;
  if (containers.length === 0) yield requiredValue(`${path}.containers`);
  const names = new Set<string>();
  const lists: readonly (readonly [string, readonly Container[], 'main' | 'init'])[] = [
    ['containers', containers, 'main'],
    ['initContainers', initContainers, 'init'],
  ];
  for (const [field, list, role] of lists) {
    for (const [index, container] of list.entries()) {
      const at = `${path}.${field}[${index}]`;
      if (names.has(container.name)) yield duplicateValue(`${at}.name`, container.name);
      if (container.name !== '') names.add(container.name);
      yield* validateContainer(container, { spec, role, path: at });
    }
    // Init containers run one after the other, so only containers that run side by side can clash.
    if (role === 'main') yield* validateHostPorts(list, `${path}.${field}`);
  }
  if (ephemeralContainers.length > 0) {
    yield forbiddenField(`${path}.ephemeralContainers`, 'cannot be set on create');
  }
}

function* validateHostPorts(containers: readonly Container[], path: string): Generator<FieldError> {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [at, port] of (container.ports ?? []).entries()) {
      if (!port.hostPort) continue;
      const key = `${port.protocol}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) yield duplicateValue(`${path}[${index}].ports[${at}].hostPort`, key);
      taken.add(key);
    }
  }
}

function* validatePolicies(spec: PodSpec, path: string): Generator<FieldError> {
  yield* oneOf(`${path}.restartPolicy`, spec.restartPolicy, ['Always', 'OnFailure', 'Never']);
  yield* oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, [
    'ClusterFirstWithHostNet',
    'ClusterFirst',
    'Default',
    'None',
  ]);
  yield* oneOf(`${path}.preemptionPolicy`, spec.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
  yield* withinRange(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, 2 ** 31 - 1);
  if (spec.os !== undefined) yield* oneOf(`${path}.os.name`, spec.os.name, ['linux', 'windows']);
}

function* validateNaming(spec: PodSpec, path: string): Generator<FieldError> {
  for (const field of ['hostname', 'subdomain'] as const) {
    const value = spec[field] ?? '';
    if (value === '') continue;
    for (const why of labelFaults(value)) yield invalidValue(`${path}.${field}`, value, why);
  }
  const fields = [
    'hostnameOverride',
    'nodeName',
    'serviceAccountName',
    'priorityClassName',
    'runtimeClassName',
  ];
  for (const field of fields as readonly (keyof PodSpec)[]) {
    const value = spec[field];
    if (typeof value !== 'string' || value === '') continue;
    for (const why of subdomainFaults(value)) yield invalidValue(`${path}.${field}`, value, why);
  }
  if (spec.hostnameOverride !== undefined) yield* validateHostnameOverride(spec, `${path}.hostnameOverride`);
}

function* validateHostnameOverride(spec: PodSpec, path: string): Generator<FieldError> {
  if (spec.setHostnameAsFQDN === true) {
    yield forbiddenField(path, 'may not be specified when setHostnameAsFQDN is true');
  }
  if (spec.hostNetwork === true) yield forbiddenField(path, 'may not be specified when hostNetwork is true');
}

function* validateNetwork(spec: PodSpec, path: string): Generator<FieldError> {
  yield* validateDns(spec.dnsConfig, spec.dnsPolicy === 'None', `${path}.dnsConfig`);
  yield* validateHostAliases(spec.hostAliases ?? [], `${path}.hostAliases`);
}

function* validateDns(config: PodDnsConfig | undefined, alone: boolean, path: string): Generator<FieldError> {
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (alone && config === undefined) {
    yield requiredValue(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
    return;
  }
  if (alone && nameservers.length === 0) {
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    yield requiredValue(`${path}.nameservers`, why);
  }
  if (nameservers.length > 3) {
    yield invalidValue(`${path}.nameservers`, nameservers, 'must not have more than 3 nameservers');
  }
  for (const [index, server] of nameservers.entries()) {
    if (isIpAddress(server)) continue;
    yield invalidValue(`${path}.nameservers[${index}]`, server, NO_ADDRESS);
  }
  if (searches.length > 32) {
    yield invalidValue(`${path}.searches`, searches, 'must not have more than 32 search paths');
  }
  if (searches.join(' ').length > 2048) {
    const why = 'must not have more than 2048 characters (including spaces) in the search list';
    yield invalidValue(`${path}.searches`, searches, why);
  }
  for (const [index, search] of searches.entries()) {
    for (const why of searchDomainFaults(search))
      yield invalidValue(`${path}.searches[${index}]`, search, why);
  }
  for (const [index, option] of options.entries()) {
    if (!option.name) yield requiredValue(`${path}.options[${index}]`, 'must not be empty');
  }
}

function* validateHostAliases(aliases: readonly HostAlias[], path: string): Generator<FieldError> {
  for (const [index, alias] of aliases.entries()) {
    if (!isIpAddress(alias.ip)) {
      yield invalidValue(`${path}[${index}].ip`, alias.ip, NO_ADDRESS);
    }
    for (const [at, name] of (alias.hostnames ?? []).entries()) {
      for (const why of subdomainFaults(name)) {
        yield invalidValue(`${path}[${index}].hostnames[${at}]`, name, why);
      }
    }
  }
}

/** What still matters of scheduling once a pod is on its node. */
function* validatePlacement(spec: PodSpec, path: string): Generator<FieldError> {
  yield* validateTolerations(spec.tolerations ?? [], `${path}.tolerations`);
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) {
    const at = `${path}.nodeSelector[${key}]`;
    for (const why of qualifiedNameFaults(key)) yield invalidValue(at, key, why);
    for (const why of labelValueFaults(value)) yield invalidValue(at, value, why);
  }
  for (const [index, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    for (const why of qualifiedNameFaults(conditionType)) {
      yield invalidValue(`${path}.readinessGates[${index}].conditionType`, conditionType, why);
    }
  }
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    const why = 'a pod that is on its node cannot wait to be scheduled: remove the gates';
    yield forbiddenField(`${path}.schedulingGates`, why);
  }
}

function* validateTolerations(tolerations: readonly Toleration[], path: string): Generator<FieldError> {
  for (const [index, { key = '', operator, value = '', effect, ...rest }] of tolerations.entries()) {
    const at = `${path}[${index}]`;
    for (const why of key === '' ? [] : qualifiedNameFaults(key)) yield invalidValue(`${at}.key`, key, why);
    if (key === '' && operator !== 'Exists') {
      yield invalidValue(
        `${at}.operator`,
        operator ?? '',
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      );
    }
    if (rest.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      yield invalidValue(`${at}.effect`, effect ?? '', why);
    }
    if (operator === 'Exists' && value !== '') {
      yield invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'");
    }
    yield* oneOf(`${at}.operator`, operator || undefined, ['Equal', 'Exists']);
    yield* oneOf(`${at}.effect`, effect || undefined, ['NoExecute', 'NoSchedule', 'PreferNoSchedule']);
  }
}
