/** Wires the statistics of the node. It only connects; nothing is read before a caller asks. */
import type { RuntimeReader } from '../ports/runtime/container-runtime.ts';
import type { AgentPorts, AgentSettings } from './agent-ports.ts';
import type { DesiredPods } from './desired/desired-pods.ts';
import type { RuntimeObserver } from './runtime/runtime-observer.ts';
import { type RuntimeLists, type SeenPods, Statistics } from './stats/statistics.ts';
import type { VolumeMeasurements } from './volume/volume-measurer.ts';

type PodObserver = Pick<RuntimeObserver, 'hasEvents' | 'lastRelistMs' | 'lastReadings'>;

export function assembleStatistics(
  { kit, runtime, images, statistics }: AgentPorts,
  { node }: AgentSettings,
  desired: Pick<DesiredPods, 'records'>,
  observer: PodObserver,
  volumes: VolumeMeasurements,
): Statistics {
  const { clock, logger } = kit;
  const readPod: ConstructorParameters<typeof Statistics>[0]['readPod'] = (uid) =>
    desired.records.get(uid)?.pod;
  return new Statistics({
    clock,
    logger,
    ...statistics,
    reader: toLists(runtime.reader, observer),
    images: images.images,
    node,
    readPod,
    volumes,
  });
}

function toLists(reader: RuntimeReader, observer: PodObserver): RuntimeLists {
  return {
    listSandboxes: (uid, options) => reader.listSandboxes(uid, options),
    listContainers: (uid, options) => reader.listContainers(uid, options),
    lastSeen: () =>
      observer.hasEvents && observer.lastRelistMs !== undefined ? toSeen(observer) : undefined,
  };
}

function toSeen(observer: Pick<PodObserver, 'lastReadings'>): SeenPods {
  const pods = [...observer.lastReadings()];
  return {
    sandboxes: pods.flatMap(({ sandboxes }) => [...sandboxes]),
    containers: pods.flatMap(({ containers }) => [...containers]),
  };
}
