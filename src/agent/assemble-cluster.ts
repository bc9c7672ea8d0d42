/** Wires what reports pods to the API server. It only connects. */
import { Emitter } from '../base/async/emitter.ts';
import type { PodUid } from '../core/model/ids.ts';
import type { Kit } from '../ports/kit.ts';
import type { AgentPart } from './agent-part.ts';
import type { ClusterPorts } from './agent-ports.ts';
import { MirrorPods } from './cluster/mirror-pods.ts';
import { toOnlinePart } from './cluster/online-part.ts';
import { StatusReporter } from './cluster/status-reporter.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import type { PodIntake } from './desired/pod-intake.ts';
import { followHostAddresses } from './node/host-addresses.ts';
import type { PodSupervisor } from './pod/pod-supervisor.ts';
import type { StatusBoard } from './pod/status-board.ts';

export interface ReportedPods {
  readonly kit: Kit;
  readonly desired: DesiredPods;
  readonly board: StatusBoard;
  readonly intake: PodIntake;
  readonly supervisor: Pick<PodSupervisor, 'wakeAll'>;
}

export interface ClusterAssembly {
  readonly parts: readonly AgentPart[];
  /** Resolves when every status that was published is reported, or with the signal. */
  readonly whenReported: (signal: AbortSignal) => Promise<void>;
}

/** Without a cluster nothing is reported. */
export function assembleCluster(ports: ClusterPorts | undefined, pods: ReportedPods): ClusterAssembly {
  if (ports === undefined) return { parts: [], whenReported: async () => {} };
  const { kit, desired, board, intake, supervisor } = pods;
  const { api, own, nodeVolumes } = ports;
  const mirrored = new Emitter<[PodUid]>();
  const mirrors = new MirrorPods({
    ...kit,
    api,
    desired,
    readNode: () => own.current,
    onChange: ({ uid }) => mirrored.emit(uid),
  });
  own.subscribe(() => mirrors.wake());
  const statuses = new StatusReporter({
    ...kit,
    api,
    board,
    readDelivered: (uid) => desired.delivered(uid),
    readMirror: (name) => mirrors.get(name),
    onSynced: (durationMs) => kit.meter.statusSynced(durationMs),
  });
  mirrored.subscribe((uid) => statuses.check(uid));
  intake.onApiDelivery((found, news) => {
    mirrors.deliver(found);
    // Any of these may differ from what was published.
    for (const uid of news) if (desired.records.get(uid)?.source === 'api') statuses.check(uid);
  });
  followHostAddresses(own, () => supervisor.wakeAll('host addresses'));
  const online = { ...ports, logger: kit.logger };
  return {
    parts: [
      toOnlinePart(mirrors, online),
      { ...toOnlinePart(statuses, online), podGone: (record, last) => statuses.podGone(record, last) },
      nodeVolumes,
    ],
    whenReported: (signal) => statuses.whenIdle(signal),
  };
}
