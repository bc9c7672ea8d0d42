/** Wires what grants pods resources and keeps cgroups true. It only connects. */
import { parsePodUid } from '../core/model/ids.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import { type AssignmentAssembly, assembleAssignment } from './assemble-assignment.ts';
import type { ClaimAssembly } from './assemble-claims.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import { ClaimCollector } from './claims/claim-collector.ts';
import { DesiredPods } from './desired/desired-pods.ts';
import type { StatusBoard } from './pod/status-board.ts';
import { CgroupRefusals } from './resources/cgroup-refusals.ts';
import { PodAllocations, type PodAllocationsParts } from './resources/pod-allocations.ts';
import { PodResizer } from './resources/pod-resizer.ts';
import { QosCgroups } from './resources/qos-cgroups.ts';
import { enforceReservedCgroups } from './resources/reserved-cgroups.ts';
import { UserNamespaces } from './resources/user-namespaces.ts';

export interface ResourceAssembly {
  readonly desired: DesiredPods;
  readonly allocations: PodAllocations;
  readonly assignment: AssignmentAssembly;
  readonly resizer: PodResizer;
  readonly users: UserNamespaces;
  readonly refusals: CgroupRefusals;
  readonly tiers: QosCgroups;
  readonly parts: readonly AgentPart[];
}

/** With the desired pods, because what a pod was granted is part of what is wanted of it. */
export function assembleResources(
  ports: Pick<AgentPorts, 'kit' | 'host' | 'runtime' | 'sources' | 'cluster'>,
  { node, admission, resources }: Pick<AgentSettings, 'node' | 'admission' | 'resources'>,
  board: StatusBoard,
  wakeUps: PodWakeUps,
): ResourceAssembly {
  const { kit, host, sources } = ports;
  const allocations = new PodAllocations({ ...kit, ...host, ...toAllocationSettings(node) });
  const assignment = assembleAssignment(ports, resources.assignment, node, wakeUps);
  const { assigner, claims, cpus } = assignment;
  const desired = new DesiredPods({
    ...kit,
    allocations,
    assigner,
    sources: sources.map(({ name }) => name),
    hasEnded: (uid) => board.hasEnded(uid),
    admit: admission.admit,
    refreshNode: admission.refreshNode,
  });
  desired.onAllSourcesSeen(() => {
    // Grants do not say whose pods they are for.
    if (desired.mayHide(undefined)) return;
    allocations.retain((uid) => desired.records.has(uid));
    assigner.retain((uid) => desired.records.has(uid) && !board.hasEnded(uid));
  });
  cpus.onShared(() => {
    for (const uid of desired.records.keys()) wakeUps.emit(uid, 'shared CPUs');
  });
  board.published.subscribe((uid) => {
    if (board.hasEnded(uid)) assigner.release(uid);
  });
  const resizer = new PodResizer({
    ...kit,
    desired,
    allocations,
    admit: admission.admitResize,
    onChange: (uid) => wakeUps.emit(uid, 'resize'),
  });
  board.published.subscribe(() => resizer.retry('pod_terminated'));
  const users = new UserNamespaces({ ...kit, ...host, node, range: resources.userIds });
  const refusals = new CgroupRefusals(kit.logger);
  const cgroups = { ...kit, ...host, refusals };
  const tiers = new QosCgroups({ ...cgroups, ...resources, kit, desired, node });
  // After the tiers: those of others get controllers when they are made.
  const reserved: AgentPart = {
    name: 'reserved cgroups',
    load: () => enforceReservedCgroups(cgroups, resources.reserved),
  };
  return {
    desired,
    allocations,
    assignment,
    resizer,
    users,
    refusals,
    tiers,
    parts: [
      ...assignment.parts,
      ...collectClaims(kit, claims, desired),
      allocations,
      resizer,
      users,
      tiers,
      reserved,
    ],
  };
}

/** A claim of a pod that is not known is taken back once every source was seen. */
function collectClaims(
  kit: AgentPorts['kit'],
  claims: ClaimAssembly | undefined,
  desired: DesiredPods,
): AgentPart[] {
  if (claims === undefined) return [];
  const isGone = (text: string): boolean => {
    const uid = parsePodUid(text);
    const isKnown = uid !== undefined && desired.records.has(uid);
    return !isKnown && desired.allSourcesSeen && !desired.mayHide(undefined);
  };
  return [new ClaimCollector({ kit, ...claims, isGone })];
}

/** Both files stand where the upstream kubelet has them. */
function toAllocationSettings({
  rootDir,
  features,
}: NodeProfile): Pick<PodAllocationsParts, 'rootDir' | 'gates'> {
  const gates = {
    podLevel: features('InPlacePodLevelResourcesVerticalScaling'),
    initContainers: features('InPlacePodVerticalScalingInitContainers'),
  };
  return { rootDir, gates };
}
