/**
 * The four conditions every kubelet writes, and the one that says whether a
 * shutdown of the machine waits for pods, from facts and from the current
 * conditions of the node. Conditions of others are left where they are.
 *
 * Pressures: the heartbeat moves always, everything else only when the status
 * flips. Ready: rewritten each time, the transition time moves with the status.
 */
import type { NodeCondition } from '../api/node.ts';
import type { ResourceList } from '../api/pod.ts';
import { toApiTime } from '../status/api-time.ts';
import type {
  NodeStatusFacts,
  PressureFacts,
  ReadinessProblems,
  ShutdownGuard,
} from './node-status-facts.ts';

export interface ConditionOutcome {
  readonly conditions: readonly NodeCondition[];
  /** Reasons of the events that report the changes, in order. */
  readonly eventReasons: readonly string[];
}

interface PressureWords {
  readonly type: string;
  readonly fact: keyof PressureFacts;
  /** Reason, message and event reason by status. */
  readonly True: readonly [reason: string, message: string, event: string];
  readonly False: readonly [reason: string, message: string, event: string];
}

const PRESSURES: readonly PressureWords[] = [
  {
    type: 'MemoryPressure',
    fact: 'memory',
    True: [
      'KubeletHasInsufficientMemory',
      'kubelet has insufficient memory available',
      'NodeHasInsufficientMemory',
    ],
    False: [
      'KubeletHasSufficientMemory',
      'kubelet has sufficient memory available',
      'NodeHasSufficientMemory',
    ],
  },
  {
    type: 'DiskPressure',
    fact: 'disk',
    True: ['KubeletHasDiskPressure', 'kubelet has disk pressure', 'NodeHasDiskPressure'],
    False: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure', 'NodeHasNoDiskPressure'],
  },
  {
    type: 'PIDPressure',
    fact: 'pid',
    True: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available', 'NodeHasInsufficientPID'],
    False: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available', 'NodeHasSufficientPID'],
  },
];

/** `capacity` is that of the same status: a node without it is not ready. */
export function computeNodeConditions(
  current: readonly NodeCondition[],
  capacity: ResourceList,
  facts: Pick<NodeStatusFacts, 'pressures' | 'problems' | 'shutdownGuard' | 'canCapCpu' | 'resources'>,
  nowMs: number,
): ConditionOutcome {
  const now = toApiTime(nowMs);
  const eventReasons: string[] = [];
  const conditions = [...current];
  const put = (next: NodeCondition): void => {
    const at = conditions.findIndex(({ type }) => type === next.type);
    if (at === -1) conditions.push(next);
    else conditions[at] = next;
  };
  for (const words of PRESSURES) {
    const old = current.find(({ type }) => type === words.type);
    const status = facts.pressures[words.fact] ? 'True' : 'False';
    const [reason, message, event] = words[status];
    if (old?.status === status) {
      put({ ...old, lastHeartbeatTime: now });
      continue;
    }
    put({ type: words.type, status, lastHeartbeatTime: now, lastTransitionTime: now, reason, message });
    eventReasons.push(event);
  }
  const guard = toShutdownCondition(current, facts.shutdownGuard, now);
  if (guard !== undefined) put(guard);
  const ready = toReadyCondition(
    current,
    [...listProblems(facts.problems), ...missingCapacity(capacity, facts)],
    facts,
    now,
  );
  put(ready);
  const wasReady = current.find(({ type }) => type === 'Ready')?.status;
  if (wasReady !== undefined && wasReady !== ready.status)
    eventReasons.push(ready.status === 'True' ? 'NodeReady' : 'NodeNotReady');
  return { conditions, eventReasons };
}

function toReadyCondition(
  current: readonly NodeCondition[],
  problems: readonly string[],
  { canCapCpu }: Pick<NodeStatusFacts, 'canCapCpu'>,
  now: string,
): NodeCondition {
  const old = current.find(({ type }) => type === 'Ready');
  const status = problems.length === 0 ? 'True' : 'False';
  const warning = canCapCpu ? '' : '. WARNING: CPU hardcapping unsupported';
  const { lastTransitionTime = now } = old?.status === status ? old : {};
  return {
    type: 'Ready',
    status,
    lastHeartbeatTime: now,
    lastTransitionTime,
    reason: problems.length === 0 ? 'KubeletReady' : 'KubeletNotReady',
    message: problems.length === 0 ? `kubelet is posting ready status${warning}` : renderProblems(problems),
  };
}

const SHUTDOWN_TYPE = 'GracefulNodeShutdown';

type StatusAndReason = readonly [status: NodeCondition['status'], reason: string];

const NOT_CONFIGURED: StatusAndReason = ['Unknown', 'NotConfigured'];
const GUARDS: Readonly<Record<ShutdownGuard['kind'], StatusAndReason>> = {
  held: ['True', 'InhibitorLockHeld'],
  short: ['False', 'InhibitDelayTooShort'],
  missing: ['False', 'InhibitorLockMissing'],
};

/** Not on nodes where a shutdown was never to wait; upstream has no such condition. */
function toShutdownCondition(
  current: readonly NodeCondition[],
  guard: ShutdownGuard | undefined,
  now: string,
): NodeCondition | undefined {
  const old = current.find(({ type }) => type === SHUTDOWN_TYPE);
  // Conditions are never removed: one of an earlier configuration must not go on promising.
  if (guard === undefined && old === undefined) return undefined;
  const [status, reason] = guard === undefined ? NOT_CONFIGURED : GUARDS[guard.kind];
  const { lastTransitionTime = now } = old?.status === status ? old : {};
  return {
    type: SHUTDOWN_TYPE,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime,
    reason,
    message: toGuardMessage(guard),
  };
}

function toGuardMessage(guard: ShutdownGuard | undefined): string {
  if (guard === undefined) return 'no grace periods are configured for a shutdown of the node';
  return guard.kind === 'held' ? 'a shutdown of the node waits until pods have ended' : guard.problem;
}

/** The conditions that are true now, as the API names them. */
export function listPressures(pressures: PressureFacts): string[] {
  return PRESSURES.filter(({ fact }) => pressures[fact]).map(({ type }) => type);
}

/** In the order in which they are shown. */
export function listProblems({ runtime = [], network, storage, shutdown }: ReadinessProblems): string[] {
  return [...runtime, network, storage, shutdown].filter((problem) => problem !== undefined);
}

function missingCapacity(
  capacity: ResourceList,
  { resources }: Pick<NodeStatusFacts, 'resources'>,
): string[] {
  const required = ['cpu', 'memory', 'pods', ...(resources.localStorage ? ['ephemeral-storage'] : [])];
  const missing = required.filter((name) => capacity[name] === undefined);
  return missing.length === 0 ? [] : [`missing node capacity for resources: ${missing.join(', ')}`];
}

/** One as it is, several as a list without repetitions. */
function renderProblems(problems: readonly string[]): string {
  const unique = [...new Set(problems)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}
