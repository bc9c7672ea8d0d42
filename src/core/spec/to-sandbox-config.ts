/**
 * From a pod to the configuration of its sandbox. Built before a sandbox is
 * made and again, with the same attempt, for every container and image pull.
 */

import { accept, type Outcome, type Refusal } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import { podLogDirectory } from '../model/log-paths.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import type { IdMapping, SandboxConfig, SandboxSecurity } from '../model/sandbox-config.ts';
import { podCgroupName, toCgroupPath } from '../resources/cgroup-names.ts';
import { toOverheadResources, toSandboxResources } from '../resources/container-resources.ts';
import { computeQosClass } from '../resources/qos.ts';
import { toPodIdentityLabels } from './container-annotations.ts';
import { type SpecWarning, toDnsConfig } from './dns.ts';
import { toKernelHostname, toPodHostname } from './hostname.ts';
import { checkUserMapping, toNamespaces } from './namespaces.ts';
import { toPortMappings } from './port-mappings.ts';
import { sandboxGroups, toSupplementalGroupsPolicy } from './supplemental-groups.ts';
import { toSysctls } from './sysctls.ts';

export interface SandboxFacts {
  readonly attempt: number;
  readonly node: NodeProfile;
  /** Text of the node's resolver file; undefined when the configuration names none. */
  readonly resolvConf: string | undefined;
  /** Of the pod's RuntimeClass; default ''. */
  readonly runtimeHandler?: string;
  /** The ids given to a pod with users of its own; absent when no range was free. */
  readonly userMapping?: IdMapping;
  /** Groups that mounted persistent volumes ask for. */
  readonly volumeGroups?: readonly number[];
  readonly exclusiveCpus?: boolean;
}

export type SandboxConfigResult =
  | { readonly ok: true; readonly config: SandboxConfig; readonly warnings: readonly SpecWarning[] }
  | Refusal;

/** The configuration with events to record, or the text that explains why there is none. */
export function toSandboxConfig(pod: Pod, facts: SandboxFacts): SandboxConfigResult {
  const { node } = facts;
  const dns = toDnsConfig(pod, facts);
  if (!dns.ok) return dns;
  const hostname = toSandboxHostname(pod, node);
  if (!hostname.ok) return hostname;
  const security = toSandboxSecurity(pod, facts);
  if (!security.ok) return security;
  const config: SandboxConfig = {
    name: pod.metadata.name,
    namespace: pod.metadata.namespace,
    uid: pod.metadata.uid,
    attempt: facts.attempt,
    hostname: hostname.value,
    logDirectory: podLogDirectory(node.podLogsDir, pod),
    dns: dns.value.dns,
    portMappings: toPortMappings(pod),
    labels: { ...pod.metadata.labels, ...toPodIdentityLabels(pod) },
    annotations: pod.metadata.annotations ?? {},
    cgroupParent: toCgroupParent(pod, node),
    sysctls: toSysctls(pod),
    overhead: toOverheadResources(pod, node),
    resources: toSandboxResources(pod, node, facts.exclusiveCpus),
    security: security.value,
  };
  return { ok: true, config, warnings: dns.value.warnings };
}

/** The pod's cgroup as a path, for either driver; '' when the agent keeps no cgroups for pods. */
export function toCgroupParent(
  pod: Pod,
  node: Pick<NodeProfile, 'cgroupsPerQos' | 'cgroupRoot' | 'cgroupDriver' | 'features'>,
): string {
  if (!node.cgroupsPerQos) return '';
  const qos = computeQosClass(pod, node.features('PodLevelResources'));
  return toCgroupPath(podCgroupName(node.cgroupRoot, qos, pod.metadata.uid), node.cgroupDriver);
}

function toSandboxHostname(pod: Pod, node: NodeProfile): Outcome<string> {
  if (pod.spec.hostNetwork === true) return accept('');
  const name = toPodHostname(pod, node);
  return name.ok ? toKernelHostname(pod, name.value) : name;
}

function toSandboxSecurity(pod: Pod, facts: SandboxFacts): Outcome<SandboxSecurity> {
  const users = checkUserMapping(pod, facts.userMapping, facts.runtimeHandler ?? '', facts.node);
  if (!users.ok) return users;
  const policy = toSupplementalGroupsPolicy(pod);
  if (!policy.ok) return policy;
  const context = pod.spec.securityContext;
  return accept({
    namespaces: toNamespaces(pod, facts.userMapping),
    privileged: hasPrivilegedContainer(pod),
    ...(context?.runAsUser !== undefined && { runAsUser: context.runAsUser }),
    ...(context?.runAsGroup !== undefined && { runAsGroup: context.runAsGroup }),
    supplementalGroups: sandboxGroups(pod, facts.volumeGroups ?? []),
    supplementalGroupsPolicy: policy.value,
    ...(context?.seLinuxOptions && { selinux: context.seLinuxOptions }),
    seccomp: { type: 'RuntimeDefault' },
  });
}

function hasPrivilegedContainer(pod: Pod): boolean {
  return allContainersOf(pod).some(({ securityContext }) => securityContext?.privileged === true);
}
