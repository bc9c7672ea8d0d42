/**
 * The node object the agent registers, and what it corrects on an existing
 * node: only what it alone can know. Taints, provider id and configured labels
 * are set on a new node and never again, so that changes by an administrator
 * stay.
 */
import type { StringMap } from '../api/meta.ts';
import type { Node, NodeSpec, Taint } from '../api/node.ts';
import type { ResourceList } from '../api/pod.ts';
import { isHugePages } from '../resources/hugepages.ts';
import { isExtendedResource } from './node-resources.ts';
import { computeNodeStatus, type NodeOutcome } from './node-status.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

export interface RegistrationSettings {
  /** From `--node-labels`; they win over the default labels. */
  readonly labels: StringMap;
  readonly taints: readonly Taint[];
  readonly providerId: string;
  /** Whether the controller attaches volumes for this node. */
  readonly controllerAttachDetach: boolean;
}

const ATTACH_DETACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
const HOSTNAME = 'kubernetes.io/hostname';

/** Labels that are brought up to date on a node that is already there. */
const KEPT_LABELS: readonly string[] = [
  HOSTNAME,
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'beta.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/windows-build',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

/** A cloud controller removes it when it has seen the node. */
const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

export function toInitialNode(
  settings: RegistrationSettings,
  facts: NodeStatusFacts,
  nowMs: number,
): NodeOutcome {
  const { operatingSystem, architecture } = facts.system;
  const bare: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: facts.nodeName,
      ...(settings.controllerAttachDetach ? { annotations: { [ATTACH_DETACH]: 'true' } } : {}),
    },
    spec: toSpec(settings, facts.addresses.externalCloud),
  };
  const outcome = computeNodeStatus(bare, facts, nowMs);
  const labels = {
    [HOSTNAME]: facts.nodeName,
    'kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'beta.kubernetes.io/arch': architecture,
    ...settings.labels,
  };
  const { node } = outcome;
  return { ...outcome, node: { ...node, metadata: { ...node.metadata, labels } } };
}

function toSpec({ taints, providerId }: RegistrationSettings, externalCloud: boolean): NodeSpec {
  const all = [...taints, ...(externalCloud ? [UNINITIALIZED] : [])];
  return {
    ...(providerId === '' ? {} : { providerID: providerId }),
    ...(all.length === 0 ? {} : { taints: all }),
  };
}

/**
 * `existing` with what `initial` knows better. `isRecreated` means that no
 * device plugin has left anything here: its devices are then counted as gone.
 */
export function reconcileNode(existing: Node, initial: Node, isRecreated: boolean): Node {
  const { metadata, status = {} } = existing;
  const own = initial.status ?? {};
  const toList = (current: ResourceList | undefined, built: ResourceList = {}): ResourceList =>
    withHugepages(withExtended(current ?? built, isRecreated), built);
  return {
    ...existing,
    metadata: {
      ...metadata,
      labels: withDefaultLabels(metadata.labels ?? {}, initial.metadata.labels ?? {}),
      annotations: withAttachDetach(metadata.annotations ?? {}, initial.metadata.annotations ?? {}),
    },
    status: {
      ...status,
      capacity: toList(status.capacity, own.capacity),
      allocatable: toList(status.allocatable, own.allocatable),
    },
  };
}

function withAttachDetach(annotations: StringMap, built: StringMap): StringMap {
  const { [ATTACH_DETACH]: _, ...others } = annotations;
  const wanted = built[ATTACH_DETACH];
  return wanted === undefined ? others : { ...others, [ATTACH_DETACH]: wanted };
}

/** An empty value removes the label. */
function withDefaultLabels(labels: StringMap, built: StringMap): StringMap {
  const result: Record<string, string> = { ...labels };
  for (const key of KEPT_LABELS) {
    const value = built[key];
    if (value === '') delete result[key];
    else if (value !== undefined) result[key] = value;
  }
  return result;
}

function withExtended(current: ResourceList, isRecreated: boolean): ResourceList {
  if (!isRecreated) return current;
  return mapEntries(current, (name, value) => (isExtendedResource(name) ? '0' : value));
}

/** Sizes the kernel no longer offers go; allocatable of a size is its own capacity. */
function withHugepages(current: ResourceList, built: ResourceList): ResourceList {
  const others = Object.entries(current).filter(([name]) => !isHugePages(name));
  const huge = Object.entries(built).filter(([name]) => isHugePages(name));
  return Object.fromEntries([...others, ...huge]);
}

function mapEntries(list: ResourceList, change: (name: string, value: string) => string): ResourceList {
  return Object.fromEntries(Object.entries(list).map(([name, value]) => [name, change(name, value)]));
}
