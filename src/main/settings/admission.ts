/**
 * Gathers what the admission of pods looks at: configuration, machine, and the
 * node's API object where there is one. Without one the node is taken for what
 * it would introduce itself as.
 */
import type { MachineFacts } from '../../adapters/linux/machine/machine-facts.ts';
import type { SystemInfo } from '../../adapters/linux/machine/system-info.ts';
import type { NodeStateView } from '../../agent/node/node-state.ts';
import { AgentError } from '../../base/errors.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { Node } from '../../core/api/node.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { AdmissionFacts, AdmittingNode } from '../../core/node/admission-facts.ts';
import { type Admission, admitPod } from '../../core/node/admit-pod.ts';
import { admitResize } from '../../core/node/admit-resize.ts';
import { findNodeWideSysctls } from '../../core/node/check-sysctls.ts';
import { listPressures } from '../../core/node-status/node-conditions.ts';
import { computeNodeResources } from '../../core/node-status/node-resources.ts';
import type { SwapNode } from '../../core/resources/swap.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { readDeclaredFeatures, toResourceFacts } from './resource-facts.ts';

export interface AdmissionParts {
  readonly loaded: LoadedConfiguration;
  readonly nodeName: string;
  readonly machine: MachineFacts;
  readonly system: Pick<SystemInfo, 'operatingSystem' | 'architecture' | 'kernelVersion'>;
  readonly appArmorEnabled: boolean;
  readonly supplementalGroupsPolicy: boolean;
  /** What is true of the node now: pressures, shutdown, devices. */
  readonly state: Pick<NodeStateView, 'get'>;
  /** As the API server has it; undefined standalone and while it is not known. */
  readonly readNode: () => Node | undefined;
}

/** Throws AgentError when the configuration allows sysctls that would change the whole node. */
export function createAdmit(parts: AdmissionParts): (pod: Pod, others: readonly Pod[]) => Admission {
  const toFacts = createFacts(parts);
  return (pod, others) => admitPod(pod, toFacts(others));
}

/** Whether a running pod is granted what its spec asks for; the same checks and some of its own. */
export function createAdmitResize(
  parts: AdmissionParts,
  swapNode: SwapNode,
): (pod: Pod, granted: Pod, others: readonly Pod[]) => Admission {
  const { features, config } = parts.loaded;
  const toFacts = createFacts(parts);
  const settings = {
    gates: {
      podLevel: features.enabled('InPlacePodLevelResourcesVerticalScaling'),
      initContainers: features.enabled('InPlacePodVerticalScalingInitContainers'),
    },
    exclusiveCpus: features.enabled('InPlacePodVerticalScalingExclusiveCPUs'),
    exclusiveMemory: features.enabled('InPlacePodVerticalScalingExclusiveMemory'),
    cpuManagerPolicy: config.cpuManagerPolicy,
    memoryManagerPolicy: config.memoryManagerPolicy,
    swapNode,
  };
  return (pod, granted, others) => admitResize(pod, granted, { ...toFacts(others), ...settings });
}

function createFacts(parts: AdmissionParts): (others: readonly Pod[]) => AdmissionFacts {
  const { loaded, system, appArmorEnabled, state, readNode } = parts;
  const { allowedUnsafeSysctls } = loaded.config;
  const [nodeWide] = findNodeWideSysctls(allowedUnsafeSysctls);
  if (nodeWide !== undefined)
    throw new AgentError('invalid-argument', `the sysctls "${nodeWide}" are not known to be namespaced`);
  const declaredFeatures = readDeclaredFeatures(loaded);
  const podLevelResources = loaded.features.enabled('PodLevelResources');
  return (others) => ({
    node: toAdmittingNode(parts, readNode()),
    operatingSystem: system.operatingSystem,
    kernelVersion: system.kernelVersion,
    allowedUnsafeSysctls,
    appArmorEnabled,
    pressures: listPressures(state.get('pressures')),
    declaredFeatures,
    shuttingDown: state.get('shutdown') !== undefined,
    podLevelResources,
    others,
  });
}

function toAdmittingNode(parts: AdmissionParts, node: Node | undefined): AdmittingNode {
  const { loaded, nodeName, machine, system, state } = parts;
  // What pods have they keep, also while its plugin is away.
  const devices = state.get('devices').map(({ allocatable, assigned = 0, ...one }) => ({
    ...one,
    allocatable: Math.max(allocatable, assigned),
  }));
  const resources = { ...toResourceFacts(loaded, machine), devices };
  return {
    name: nodeName,
    labels: toNodeLabels(loaded, nodeName, system, node),
    taints: (node === undefined ? loaded.config.registerWithTaints : node.spec?.taints) ?? [],
    allocatable: computeNodeResources(node?.status ?? {}, resources).allocatable,
    supplementalGroupsPolicy: parts.supplementalGroupsPolicy,
  };
}

/** Those of its API object, else those it would introduce itself with. */
export function toNodeLabels(
  { flags }: LoadedConfiguration,
  nodeName: string,
  { operatingSystem, architecture }: Pick<SystemInfo, 'operatingSystem' | 'architecture'>,
  node: Node | undefined,
): StringMap {
  if (node !== undefined) return node.metadata.labels ?? {};
  return {
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'beta.kubernetes.io/arch': architecture,
    ...flags.nodeLabels,
  };
}
