/**
 * The node as it should be, from the node as the API server has it and the
 * facts of the moment. A fact that is missing leaves its field as it is, and
 * what belongs to others (phase, foreign conditions, attached volumes) is
 * carried along.
 */
import type { Node, NodeStatus, NodeSystemInfo } from '../api/node.ts';
import type { EventText } from '../model/event-text.ts';
import { computeNodeAddresses } from './node-addresses.ts';
import { computeNodeConditions } from './node-conditions.ts';
import { computeNodeImages } from './node-images.ts';
import { computeNodeResources } from './node-resources.ts';
import { renderRuntimeVersion } from './node-runtime-version.ts';
import type { NodeStatusFacts } from './node-status-facts.ts';

export interface NodeOutcome {
  readonly node: Node & { readonly status: NodeStatus };
  /** To record once the status has arrived. */
  readonly events: readonly EventText[];
  /** For the log: what could not be determined. */
  readonly problems: readonly string[];
}

const OS_LABEL = 'kubernetes.io/os';
const ARCH_LABEL = 'kubernetes.io/arch';

export function computeNodeStatus(current: Node, facts: NodeStatusFacts, nowMs: number): NodeOutcome {
  const { status = {}, metadata } = current;
  const { nodeName } = facts;
  const { addresses, annotations, problem } = computeNodeAddresses(current, facts.addresses);
  const resources = computeNodeResources(status, facts.resources);
  const { conditions, eventReasons } = computeNodeConditions(
    status.conditions ?? [],
    resources.capacity,
    facts,
    nowMs,
  );
  const { operatingSystem, architecture } = facts.system;
  const node = {
    ...current,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [OS_LABEL]: operatingSystem, [ARCH_LABEL]: architecture },
      ...(annotations === undefined ? {} : { annotations }),
    },
    status: {
      ...status,
      ...(addresses === undefined ? {} : { addresses }),
      ...resources,
      conditions,
      nodeInfo: toNodeInfo(status.nodeInfo, facts),
      ...toRuntimeFields(facts),
    },
  };
  const events = [
    ...toRebootEvents(status.nodeInfo?.bootID, facts),
    ...eventReasons.map((reason) => toStatusEvent(nodeName, reason)),
  ];
  return { node, events, problems: problem === undefined ? [] : [problem] };
}

function toRuntimeFields(facts: NodeStatusFacts): NodeStatus {
  const { images, maxImages, runtimeHandlers, runtimeFeatures, volumesInUse, declaredFeatures } = facts;
  return {
    daemonEndpoints: { kubeletEndpoint: { Port: facts.kubeletPort } },
    ...(images === undefined ? {} : { images: computeNodeImages(images, maxImages) }),
    ...(runtimeHandlers === undefined ? {} : { runtimeHandlers: toHandlers(runtimeHandlers) }),
    ...(runtimeFeatures === undefined
      ? {}
      : { features: { supplementalGroupsPolicy: runtimeFeatures.supplementalGroupsPolicy } }),
    ...(volumesInUse === undefined ? {} : { volumesInUse: [...new Set(volumesInUse)].sort() }),
    ...(declaredFeatures === undefined ? {} : { declaredFeatures: declaredFeatures.toSorted() }),
  };
}

/** Values that could not be read stay; an unread machine keeps them all. */
function toNodeInfo(current: NodeSystemInfo | undefined, facts: NodeStatusFacts): NodeSystemInfo {
  const { system, runtime, kubeletVersion } = facts;
  const { swap: _, ...others } = current ?? { containerRuntimeVersion: '' };
  return {
    ...others,
    machineID: system.machineId,
    systemUUID: system.systemUuid,
    bootID: system.bootId,
    kernelVersion: system.kernelVersion,
    osImage: system.osImage,
    ...(runtime === undefined
      ? {}
      : { containerRuntimeVersion: renderRuntimeVersion(runtime.name, runtime.version) }),
    kubeletVersion,
    // Required by the API; the agent does not know it.
    kubeProxyVersion: '',
    operatingSystem: system.operatingSystem,
    architecture: system.architecture,
    ...(system.swapBytes === 0 ? {} : { swap: { capacity: system.swapBytes } }),
  };
}

function toHandlers(
  handlers: NonNullable<NodeStatusFacts['runtimeHandlers']>,
): NonNullable<NodeStatus['runtimeHandlers']> {
  return handlers
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ name, recursiveReadOnlyMounts, userNamespaces }) => ({
      name,
      features: { recursiveReadOnlyMounts, userNamespaces },
    }));
}

function toRebootEvents(
  bootIdBefore: string | undefined,
  { nodeName, system }: NodeStatusFacts,
): EventText[] {
  if (bootIdBefore === undefined || bootIdBefore === '' || bootIdBefore === system.bootId) return [];
  const message = `Node ${nodeName} has been rebooted, boot id: ${system.bootId}`;
  return [{ type: 'Warning', reason: 'Rebooted', message }];
}

/** The event of a change of condition or schedulability. */
export function toStatusEvent(nodeName: string, reason: string): EventText {
  return { type: 'Normal', reason, message: `Node ${nodeName} status is now: ${reason}` };
}

export function isNodeReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
