/** Wires the end of all pods at a shutdown of the machine. It only connects. */
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { ClusterAssembly } from './assemble-cluster.ts';
import type { VolumeAssembly } from './assemble-volumes.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import type { StatusBoard } from './pod/status-board.ts';
import { NodeShutdown } from './shutdown/node-shutdown.ts';
import { ShutdownRecord } from './shutdown/shutdown-record.ts';

export interface ShutdownFoundations {
  readonly desired: DesiredPods;
  readonly board: StatusBoard;
  readonly volumes: Pick<VolumeAssembly, 'volumes'>;
  readonly cluster: Pick<ClusterAssembly, 'whenReported'>;
}

/** Undefined where the machine shuts down without regard for pods. */
export function assembleShutdown(
  { kit, host, shutdown: machine }: AgentPorts,
  { shutdown: settings, node }: AgentSettings,
  { desired, board, volumes, cluster }: ShutdownFoundations,
): NodeShutdown | undefined {
  if (settings === undefined || machine === undefined) return undefined;
  const path = `${node.rootDir}/graceful_node_shutdown_state`;
  return new NodeShutdown({
    kit,
    host: machine,
    pods: { desired, board, volumes: volumes.volumes, whenReported: cluster.whenReported },
    state: host.state,
    record: new ShutdownRecord({ kit, files: host.files, path }),
    settings,
  });
}
