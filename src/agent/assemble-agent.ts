/**
 * Wires the agent from its ports: the same function serves the real node and
 * the simulation. It only connects; nothing happens before `run`. The agent is
 * the list of its parts; what that means stands in agent-part.ts.
 */
import { Emitter } from '../base/async/emitter.ts';
import { type AgentPart, announceGone, runParts } from './agent-part.ts';
import type { Agent, AgentPorts, AgentSettings } from './agent-ports.ts';
import { assembleCluster } from './assemble-cluster.ts';
import { assembleCollection } from './assemble-collection.ts';
import { assemblePodResources } from './assemble-devices.ts';
import { assembleEviction, toEvictionParts } from './assemble-eviction.ts';
import { assemblePods } from './assemble-pods.ts';
import { assembleReport } from './assemble-report.ts';
import { assembleResources } from './assemble-resources.ts';
import { assembleRuntime, type PodWakeUps } from './assemble-runtime.ts';
import { assembleShutdown } from './assemble-shutdown.ts';
import { assembleStatistics } from './assemble-statistics.ts';
import { assembleVolumes } from './assemble-volumes.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { PodIntake } from './desired/pod-intake.ts';
import { assembleImages } from './image/assemble-images.ts';
import { checkResolver } from './node/resolver-check.ts';
import { watchOverdueKills } from './pod/overdue-kills.ts';
import { OversizedFiles } from './pod/oversized-files.ts';
import { StatusBoard } from './pod/status-board.ts';

export function assembleAgent(ports: AgentPorts, settings: AgentSettings): Agent {
  const { kit } = ports;
  const wakeUps: PodWakeUps = new Emitter();
  const board = new StatusBoard();
  const resources = assembleResources(ports, settings, board, wakeUps);
  const { desired } = resources;
  const runtime = assembleRuntime(ports, settings.pods, desired, wakeUps);
  const { images, objects, host } = ports;
  const pulls = assembleImages(
    { kit, ...host, ...objects, ...images },
    settings.images,
    settings.node.rootDir,
  );
  const volumes = assembleVolumes(ports, settings, wakeUps);
  const { measurer } = volumes;
  const statistics = assembleStatistics(ports, settings, desired, runtime.observer, measurer);
  const foundations = { board, wakeUps, resources, runtime, volumes, images: pulls };
  const collection = assembleCollection(ports, settings, foundations);
  const pods = assemblePods(ports, settings, foundations);
  const { supervisor } = pods;
  const intake = new PodIntake(ports.sources, desired);
  const { reclaim } = collection;
  const evictor = assembleEviction(ports, settings, { desired, volumes: measurer, statistics, reclaim });
  const cluster = assembleCluster(ports.cluster, { kit, desired, board, intake, supervisor });
  const shutdown = assembleShutdown(ports, settings, { desired, board, volumes, cluster });
  const parts: readonly AgentPart[] = [
    board,
    ...resources.parts,
    ...runtime.parts,
    { name: 'pull records', load: pulls.load },
    pulls.puller,
    ...volumes.parts,
    statistics,
    ...pods.parts,
    ...collection.parts,
    ...toEvictionParts(ports, evictor),
    ...watchers(ports, settings, desired, board),
    intake,
    ...cluster.parts,
    ...(shutdown === undefined ? [] : [shutdown]),
  ];
  supervisor.onGone((record) => announceGone(parts, record, board.published.get(record.uid)));
  return {
    desired,
    devices: resources.assignment.devices,
    claims: resources.assignment.claims,
    podResources: assemblePodResources(resources.assignment, desired),
    board,
    observer: runtime.observer,
    monitor: runtime.monitor,
    ...pods,
    volumes: volumes.volumes,
    statistics,
    imageCollector: collection.images,
    evictor,
    shutdown,
    resources: assembleReport(resources, settings.resources.assignment),
    reclaim,
    volumeStats: measurer,
    parts,
    run: (stop) => runParts(parts, kit.logger, stop),
  };
}

/** Loops that look at pods and the node from the side; nothing waits for them. */
function watchers(
  { kit, host }: AgentPorts,
  { node }: AgentSettings,
  desired: DesiredPods,
  board: StatusBoard,
): AgentPart[] {
  const files = { ...kit, ...host, node, readPodUids: () => desired.records.keys() };
  const resolver = { ...kit, ...host, node };
  const kills = { ...kit, desired, hasEnded: board.hasEnded.bind(board) };
  return [
    new OversizedFiles(files),
    { name: 'resolver check', run: (stop) => checkResolver(resolver, stop) },
    { name: 'overdue kills', run: (stop) => watchOverdueKills(kills, stop) },
  ];
}
