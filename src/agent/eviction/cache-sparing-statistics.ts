/** The statistics that eviction looks at when page cache counts as free (core/eviction/spare-page-cache.ts). */
import { sparePageCache } from '../../core/eviction/spare-page-cache.ts';
import type {
  NodeStatistics,
  StatisticsReading,
  StatisticsRequest,
  UsageReading,
} from '../../ports/host/node-statistics.ts';

type EvictionStatistics = Pick<NodeStatistics, 'read' | 'readNode' | 'readNodeUsage'>;

export class CacheSparingStatistics implements EvictionStatistics {
  readonly #statistics: EvictionStatistics;

  constructor(statistics: EvictionStatistics) {
    this.#statistics = statistics;
  }

  async read(request: StatisticsRequest): Promise<StatisticsReading> {
    return spare(await this.#statistics.read(request));
  }

  async readNode(request: StatisticsRequest): Promise<StatisticsReading> {
    return spare(await this.#statistics.readNode(request));
  }

  readNodeUsage(): UsageReading {
    return spare(this.#statistics.readNodeUsage());
  }
}

function spare<T extends UsageReading>(reading: T): T {
  return { ...reading, summary: sparePageCache(reading.summary) };
}
