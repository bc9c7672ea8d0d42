/** Wires the statistics of the node. It only connects; nothing is read before a caller asks. */
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import { Statistics } from './stats/statistics.ts';
import type { VolumeMeasurements } from './volume/volume-measurer.ts';

export function assembleStatistics(
  { kit, runtime, images, statistics }: AgentPorts,
  { node }: AgentSettings,
  desired: Pick<DesiredPods, 'records'>,
  volumes: VolumeMeasurements,
): Statistics {
  const { clock, logger } = kit;
  const readPod: ConstructorParameters<typeof Statistics>[0]['readPod'] = (uid) =>
    desired.records.get(uid)?.pod;
  const { reader } = runtime;
  return new Statistics({
    clock,
    logger,
    ...statistics,
    reader,
    images: images.images,
    node,
    readPod,
    volumes,
  });
}
