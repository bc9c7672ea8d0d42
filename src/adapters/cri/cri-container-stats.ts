/** The port ContainerStatsReader on the runtime interface. Holds no state. */
import { type ContainerId, toContainerId } from '../../core/model/ids.ts';
import type { RuntimeContainerSample, WritableLayer } from '../../core/stats/samples.ts';
import type { ContainerStats, FilesystemUsage } from '../../gen/cri.ts';
import type { ContainerStatsReader } from '../../ports/host/stats-reader.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import { fromWireFilesystem } from './from-wire.ts';
import type { ListCaller, ListVariants } from './list-caller.ts';

const NANOS_PER_MS = 1e6;

const STATS: ListVariants<'listContainerStats', 'streamContainerStats', ContainerStats> = {
  unary: 'listContainerStats',
  itemsOf: (response) => response.stats,
  streamed: 'streamContainerStats',
  itemsOfMessage: (message) => message.containerStats,
};

export class CriContainerStats implements ContainerStatsReader {
  readonly #lists: ListCaller;

  constructor(lists: ListCaller) {
    this.#lists = lists;
  }

  async listContainerStats(
    options: RuntimeCallOptions = {},
  ): Promise<ReadonlyMap<ContainerId, RuntimeContainerSample>> {
    const items = await this.#lists.list(STATS, { filter: {} }, options);
    return new Map(
      items.flatMap((stats) => {
        const id = stats.attributes?.id ?? '';
        return id === '' ? [] : [[toContainerId(id), fromWireContainerStats(stats)] as const];
      }),
    );
  }
}

/** Numbers the runtime does not send are absent. */
export function fromWireContainerStats({
  cpu,
  memory,
  writableLayer,
}: ContainerStats): RuntimeContainerSample {
  const usageNs = cpu?.usageCoreNanoSeconds?.value;
  const usageNanoCores = cpu?.usageNanoCores?.value;
  const workingSetBytes = memory?.workingSetBytes?.value;
  return {
    atMs: (cpu?.timestamp || memory?.timestamp || writableLayer?.timestamp || 0) / NANOS_PER_MS,
    ...(usageNs !== undefined && { usageNs }),
    ...(usageNanoCores !== undefined && { usageNanoCores }),
    ...(workingSetBytes !== undefined && { workingSetBytes }),
    ...(writableLayer && { writableLayer: toLayer(writableLayer) }),
  };
}

function toLayer(usage: FilesystemUsage): WritableLayer {
  const { mountpoint, usedBytes, inodesUsed, timestampMs } = fromWireFilesystem(usage);
  return { mountpoint, usedBytes, inodesUsed, atMs: timestampMs };
}
