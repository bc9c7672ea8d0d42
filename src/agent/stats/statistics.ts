/**
 * The statistics of the node as a part of the agent: one reading for all who
 * ask, made only when asked. There is no loop; rates come from the samples of
 * the reading before.
 */
import { Deadline } from '../../base/async/deadline.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { MetricFamily } from '../../base/metric-registry.ts';
import type { ObservedContainer, ObservedSandbox } from '../../core/model/observed-pod.ts';
import { pickSandboxImage } from '../../core/stats/cgroup-labels.ts';
import { pickRunning, type RunningPod } from '../../core/stats/pick-running.ts';
import type { RuntimePodSample } from '../../core/stats/runtime-pod-sample.ts';
import type { DetailsReading } from '../../core/stats/series/details-reading.ts';
import { toCpuAndMemory } from '../../core/stats/to-node-stats.ts';
import type { UsagePast } from '../../core/stats/top.ts';
import type {
  NodeStatistics,
  StatisticsReading,
  StatisticsRequest,
  UsageReading,
} from '../../ports/host/node-statistics.ts';
import type {
  CgroupDetailsReader,
  ContainerStatsReader,
  PodStatsSource,
} from '../../ports/host/stats-reader.ts';
import type { RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { VolumeMeasurements } from '../volume/volume-measurer.ts';
import { CgroupUsage } from './cgroup-usage.ts';
import type { DetailsReader, ListedPods } from './details-reader.ts';
import { NODE_ALONE, NodeStatsReader, type NodeStatsReaderParts, toLayout } from './node-stats-reader.ts';
import { PodStatsReader, type PodStatsReaderParts } from './pod-stats-reader.ts';
import { SharedReading } from './shared-reading.ts';
import { UsageHistory } from './usage-history.ts';

/** A reading that takes longer has failed; callers may leave earlier. */
const PATIENCE_MS = 60_000;
const LABEL = 'statistics';

/** What there is of pods in the runtime. */
export interface RuntimeLists extends Pick<RuntimeReader, 'listSandboxes' | 'listContainers'> {
  /** As it was last seen, for what is asked every few seconds; undefined while changes are not reported. */
  readonly lastSeen: () => SeenPods | undefined;
}

export type SeenPods = Pick<ListedPods, 'sandboxes' | 'containers'>;

export interface StatisticsParts
  extends Omit<PodStatsReaderParts, 'usage' | 'node' | 'fileSystems'>,
    Omit<NodeStatsReaderParts, 'usage' | 'node' | 'fileSystems'> {
  readonly node: PodStatsReaderParts['node'] & NodeStatsReaderParts['node'];
  readonly fileSystems: PodStatsReaderParts['fileSystems'] & NodeStatsReaderParts['fileSystems'];
  readonly reader: RuntimeLists;
  readonly containerStats: ContainerStatsReader;
  readonly volumes: Pick<VolumeMeasurements, 'list'>;
  readonly images: Pick<ImageService, 'imageFsInfo' | 'listImages'>;
  /** Loaded when it is first asked for. */
  readonly loadDetails: () => Promise<CgroupDetailsReader>;
  /** Undefined unless the runtime is to count pods. */
  readonly loadPodStats: (() => Promise<PodStatsSource>) | undefined;
}

export class Statistics implements NodeStatistics {
  readonly name = 'statistics';
  readonly #parts: StatisticsParts;
  readonly #cgroups: CgroupUsage;
  readonly #pods: PodStatsReader;
  readonly #node: NodeStatsReader;
  readonly #whole: SharedReading<StatisticsReading>;
  readonly #usage: SharedReading<UsageReading>;
  readonly #nodeAlone: SharedReading<StatisticsReading>;
  readonly #details: SharedReading<DetailsReading>;
  #podStats: Promise<PodStatsSource> | undefined;
  #sandboxImage = '';
  #detailsReader: Promise<DetailsReader> | undefined;
  readonly #history = new UsageHistory();
  readonly #turns = new Mutex();
  readonly #closed = new AbortController();

  constructor(parts: StatisticsParts) {
    this.#parts = parts;
    const usage = new CgroupUsage(parts.cgroupStats);
    this.#cgroups = usage;
    this.#pods = new PodStatsReader({ ...parts, usage });
    this.#node = new NodeStatsReader({ ...parts, usage });
    this.#whole = new SharedReading(parts.clock, () => this.#inTurn((signal) => this.#readAll(signal)));
    this.#nodeAlone = new SharedReading(parts.clock, () =>
      this.#turns.run(() => this.#inTime((signal) => this.#readNodeAlone(signal))),
    );
    this.#usage = new SharedReading(parts.clock, () => this.#inTurn((signal) => this.#readUsage(signal)));
    this.#details = new SharedReading(parts.clock, () => this.#inTime((signal) => this.#readDetails(signal)));
  }

  read(request: StatisticsRequest): Promise<StatisticsReading> {
    return this.#whole.read(request);
  }

  async readUsage(request: StatisticsRequest): Promise<UsageReading> {
    const whole = this.#whole.peek(request.maxAgeMs);
    if (whole === undefined) return this.#usage.read(request);
    return { summary: toCpuAndMemory(whole.summary), atMs: whole.atMs };
  }

  async readNode(request: StatisticsRequest): Promise<StatisticsReading> {
    return this.#whole.peek(request.maxAgeMs) ?? this.#nodeAlone.read(request);
  }

  readNodeUsage(): UsageReading {
    const atMs = this.#parts.clock.now();
    return { summary: { node: this.#node.read(undefined, NODE_ALONE), pods: [] }, atMs };
  }

  readDetails(request: StatisticsRequest): Promise<DetailsReading> {
    return this.#details.read(request);
  }

  history(): UsagePast {
    return this.#history.read(this.#parts.clock.now());
  }

  peek(maxAgeMs: number): StatisticsReading | undefined {
    return this.#whole.peek(maxAgeMs);
  }

  close(): void {
    this.#closed.abort();
  }

  async #readAll(signal: AbortSignal): Promise<StatisticsReading> {
    const { clock, containerStats, volumes } = this.#parts;
    const atMs = clock.now();
    const [running, runtime, counted] = await explain(
      Promise.all([
        this.#listRunning(signal),
        containerStats.listContainerStats({ signal, label: LABEL }),
        this.#listCounted(signal),
      ]),
    );
    const places = await this.#node.readFileSystems(runtime.values(), signal);
    const node = this.#node.read(places);
    const { nodeFs, byMountpoint: fileSystems } = places;
    const storage = { nodeFs, fileSystems, volumes: volumes.list() };
    const pods = await this.#pods.read(running, { runtime, pods: counted, storage });
    return { summary: { node, pods }, layout: toLayout(places), atMs };
  }

  /** Keeps no samples: those of pods would be forgotten with it. */
  async #readNodeAlone(signal: AbortSignal): Promise<StatisticsReading> {
    const atMs = this.#parts.clock.now();
    const places = await this.#node.readFileSystems([], signal, NODE_ALONE);
    const node = this.#node.read(places, NODE_ALONE);
    return { summary: { node, pods: [] }, layout: toLayout(places), atMs };
  }

  async #readUsage(signal: AbortSignal): Promise<UsageReading> {
    const { clock, containerStats, node: profile } = this.#parts;
    const atMs = clock.now();
    const [running, counted] = await explain(
      Promise.all([this.#findRunning(signal), this.#listCounted(signal)]),
    );
    // Only where containers cannot be found by their cgroups has the runtime to count.
    const runtime = profile.cgroupsPerQos
      ? new Map()
      : await explain(containerStats.listContainerStats({ signal, label: LABEL }));
    const node = this.#node.read(undefined);
    const pods = await this.#pods.read(running, { runtime, pods: counted, storage: undefined });
    return { summary: toCpuAndMemory({ node, pods }), atMs };
  }

  async #readDetails(signal: AbortSignal): Promise<DetailsReading> {
    this.#detailsReader ??= this.#loadDetails();
    const reader = await this.#detailsReader;
    const families = await explain(this.#listFamilies(signal));
    if (families !== undefined) return reader.toRuntimeReading(families);
    return reader.read(async () => {
      const [sandboxes, containers] = await explain(this.#list(signal));
      return { sandboxes, containers, sandboxImage: await this.#findSandboxImage(signal) };
    });
  }

  /** Undefined where the kernel counts, and where the runtime cannot. */
  async #listCounted(signal: AbortSignal): Promise<ReadonlyMap<string, RuntimePodSample> | undefined> {
    this.#podStats ??= this.#parts.loadPodStats?.();
    return (await this.#podStats)?.listPodStats({ signal, label: LABEL });
  }

  async #listFamilies(signal: AbortSignal): Promise<readonly MetricFamily[] | undefined> {
    this.#podStats ??= this.#parts.loadPodStats?.();
    return (await this.#podStats)?.listPodMetrics({ signal, label: LABEL });
  }

  /** Asked for until it is known, then kept. */
  async #findSandboxImage(signal: AbortSignal): Promise<string> {
    if (this.#sandboxImage !== '') return this.#sandboxImage;
    const images = await this.#parts.images.listImages({ signal, label: LABEL }).catch(() => []);
    this.#sandboxImage = pickSandboxImage(images);
    return this.#sandboxImage;
  }

  async #loadDetails(): Promise<DetailsReader> {
    const { DetailsReader } = await import('./details-reader.ts');
    return new DetailsReader({ ...this.#parts, details: await this.#parts.loadDetails() });
  }

  /** Without a call of the runtime where it reports what changes. */
  async #findRunning(signal: AbortSignal): Promise<RunningPod[]> {
    const seen = this.#parts.reader.lastSeen();
    return seen === undefined ? this.#listRunning(signal) : pickRunning(seen.sandboxes, seen.containers);
  }

  async #listRunning(signal: AbortSignal): Promise<RunningPod[]> {
    return pickRunning(...(await this.#list(signal)));
  }

  #list(signal: AbortSignal): Promise<[ObservedSandbox[], ObservedContainer[]]> {
    const { reader } = this.#parts;
    return Promise.all([
      reader.listSandboxes(undefined, { signal, label: LABEL }),
      reader.listContainers(undefined, { signal, label: LABEL }),
    ]);
  }

  /** One kind at a time: both remember samples for the next. */
  #inTurn<T extends UsageReading>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#turns.run(async () => {
      this.#cgroups.beginReading();
      const reading = await this.#inTime(work);
      this.#cgroups.endReading();
      this.#history.note(reading.summary, reading.atMs);
      return reading;
    });
  }

  async #inTime<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    using deadline = new Deadline(this.#parts.clock, { timeoutMs: PATIENCE_MS, signal: this.#closed.signal });
    return await work(deadline.signal);
  }
}

async function explain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof AgentError ? error.code : 'unknown';
    throw new AgentError(code, `failed to list pod stats: ${errorText(error)}`, { cause: error });
  }
}
