/** Measures the node itself: the machine, its own cgroups and its file systems. */
import { AgentError, errorText } from '../../base/errors.ts';
import { toDiskLayout } from '../../core/eviction/disk-layout.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { FileSystemSample, RuntimeContainerSample, WritableLayer } from '../../core/stats/samples.ts';
import type { NodeStats } from '../../core/stats/summary.ts';
import { toNodeFs, toRuntimeFs } from '../../core/stats/to-fs.ts';
import { toNetworkStats } from '../../core/stats/to-network.ts';
import {
  type NodePlaces,
  type SystemCgroup,
  type SystemContainerReading,
  toNodeStats,
} from '../../core/stats/to-node-stats.ts';
import type { StatisticsReading } from '../../ports/host/node-statistics.ts';
import type { CgroupStats, FileSystemStats } from '../../ports/host/stats-reader.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ImageFsUsage, ImageService } from '../../ports/runtime/image-service.ts';
import type { CgroupUsage } from './cgroup-usage.ts';

const ROOT = '/';
/** File systems that containers may lie on; a runtime that names more is not believed. */
const MAX_FILE_SYSTEMS = 16;

export interface NodeStatsReaderParts extends Pick<Kit, 'clock'> {
  readonly cgroupStats: CgroupStats;
  readonly fileSystems: Pick<FileSystemStats, 'readFileSystem'>;
  readonly images: Pick<ImageService, 'imageFsInfo'>;
  readonly usage: CgroupUsage;
  readonly node: Pick<NodeProfile, 'nodeName' | 'rootDir'>;
  /** Those that are known. */
  readonly systemCgroups: readonly SystemCgroup[];
}

/** The file systems of the node and what the runtime uses of them. */
export interface NodeFileSystems {
  readonly nodeFs: FileSystemSample;
  readonly images: WritableLayer | undefined;
  readonly containers: WritableLayer | undefined;
  /** By mount point. */
  readonly byMountpoint: ReadonlyMap<string, FileSystemSample>;
}

type ImageFsInfo = Awaited<ReturnType<ImageService['imageFsInfo']>>;

/** How much of the node is read. */
export interface NodeScope {
  readonly withNetwork: boolean;
  /** Else of the node's own cgroups only that of all pods. */
  readonly withAllCgroups: boolean;
  /** Where the runtime keeps its files may have been asked so long ago: it seldom changes, and asking is dear. */
  readonly runtimeFsAgeMs: number;
}

const WHOLE_NODE: NodeScope = { withNetwork: true, withAllCgroups: true, runtimeFsAgeMs: 0 };
/** For what is read every few seconds although nothing happens. */
export const NODE_ALONE: NodeScope = {
  withNetwork: false,
  withAllCgroups: false,
  runtimeFsAgeMs: 60_000,
};

export class NodeStatsReader {
  readonly #parts: NodeStatsReaderParts;
  #runtimeFs: { readonly info: ImageFsInfo; readonly atMs: number } | undefined;

  constructor(parts: NodeStatsReaderParts) {
    this.#parts = parts;
  }

  /** `places` is undefined when only CPU and memory are asked for. */
  read(places: NodeFileSystems | undefined, { withNetwork, withAllCgroups } = WHOLE_NODE): NodeStats {
    const { cgroupStats, usage, node } = this.#parts;
    const machine = cgroupStats.readMachine();
    if (machine.root === undefined)
      throw new AgentError('unavailable', 'failed to get root cgroup stats: there is no root cgroup');
    return toNodeStats({
      nodeName: node.nodeName,
      machine,
      usage: usage.toUsage(ROOT, machine.root),
      systemContainers: this.#readSystemContainers(withAllCgroups),
      places: places && {
        ...this.#toPlaces(places),
        network: withNetwork
          ? toNetworkStats(cgroupStats.readInterfaces('machine'), machine.atMs)
          : undefined,
      },
    });
  }

  /** Rejects with AgentError when the disk of the node or the runtime does not answer. */
  async readFileSystems(
    containers: Iterable<RuntimeContainerSample>,
    signal: AbortSignal,
    { runtimeFsAgeMs } = WHOLE_NODE,
  ): Promise<NodeFileSystems> {
    const { fileSystems, node } = this.#parts;
    const [nodeFs, info] = await Promise.all([
      explain('rootFs', fileSystems.readFileSystem(node.rootDir, signal)),
      explain('imageFs', this.#readRuntimeFs(runtimeFsAgeMs, signal)),
    ]);
    const [imageLayer, containerLayer] = [toLayer(info.images[0]), toLayer(info.containers[0])];
    const layers = [...containers].map(({ writableLayer }) => writableLayer);
    const mountpoints = new Set(
      [imageLayer, containerLayer, ...layers].flatMap((layer) => layer?.mountpoint || []),
    );
    const byMountpoint = new Map<string, FileSystemSample>();
    for (const path of [...mountpoints].slice(0, MAX_FILE_SYSTEMS)) {
      const fs = await fileSystems.readFileSystem(path, signal).catch(() => undefined);
      if (fs !== undefined) byMountpoint.set(path, fs);
    }
    return { nodeFs, images: imageLayer, containers: containerLayer, byMountpoint };
  }

  async #readRuntimeFs(maxAgeMs: number, signal: AbortSignal): Promise<ImageFsInfo> {
    const { images, clock } = this.#parts;
    const atMs = clock.now();
    if (this.#runtimeFs !== undefined && atMs - this.#runtimeFs.atMs < maxAgeMs) return this.#runtimeFs.info;
    const info = await images.imageFsInfo({ signal, label: 'statistics' });
    this.#runtimeFs = { info, atMs };
    return info;
  }

  #toPlaces({ nodeFs, images, containers, byMountpoint }: NodeFileSystems): Omit<NodePlaces, 'network'> {
    const toFs = (layer: WritableLayer): ReturnType<typeof toRuntimeFs> =>
      toRuntimeFs(layer, byMountpoint.get(layer.mountpoint));
    const imageFs = images && toFs(images);
    const isSplit = toLayout({ nodeFs, images, containers, byMountpoint }) === 'split';
    return {
      fs: toNodeFs(nodeFs),
      imageFs,
      containerFs: isSplit && containers !== undefined ? toFs(containers) : imageFs,
    };
  }

  #readSystemContainers(isAll: boolean): SystemContainerReading[] {
    const { systemCgroups, usage, cgroupStats } = this.#parts;
    return systemCgroups.flatMap(({ name, path: known, startedAtMs }) => {
      if (!isAll && name !== 'pods') return [];
      const path = known === 'own' ? cgroupStats.findOwnCgroup() : known;
      const used = path === undefined ? undefined : usage.read(path);
      if (path === undefined || used === undefined) return [];
      return [{ name, usage: used, startedAtMs: startedAtMs ?? cgroupStats.readCreation(path) ?? 0 }];
    });
  }
}

/** A file system that could not be asked counts as one with the node's. */
export function toLayout(places: NodeFileSystems): StatisticsReading['layout'] {
  const deviceOf = (layer: WritableLayer | undefined): string | undefined =>
    layer && places.byMountpoint.get(layer.mountpoint)?.device;
  return toDiskLayout({
    node: places.nodeFs.device,
    images: deviceOf(places.images),
    containers: deviceOf(places.containers),
  });
}

function toLayer(usage: ImageFsUsage | undefined): WritableLayer | undefined {
  if (usage === undefined) return undefined;
  const { mountpoint, usedBytes, inodesUsed, timestampMs } = usage;
  return { mountpoint, usedBytes, inodesUsed, atMs: timestampMs };
}

async function explain<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof AgentError ? error.code : 'unknown';
    throw new AgentError(code, `failed to get ${what} stats: ${errorText(error)}`, { cause: error });
  }
}
