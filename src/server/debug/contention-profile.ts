/**
 * What the agent waits for inside itself (`enableContentionProfiling`). It has
 * no locks: all its own work is done by one thread, in turns, so what waits
 * does so for its turn. A histogram of how late turns begin is that wait.
 */
import type { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often a turn is asked for: shorter waits than this are not seen. */
const RESOLUTION_MS = 20;
const NANOS = 1e9;

export class ContentionProfile {
  #histogram: ReturnType<typeof monitorEventLoopDelay> | undefined;

  /** Measures until the result is disposed. Costs a timer of {@link RESOLUTION_MS}. */
  async start(): Promise<Disposable> {
    const perfHooks = await import('node:perf_hooks');
    const histogram = perfHooks.monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    histogram.enable();
    this.#histogram = histogram;
    return { [Symbol.dispose]: () => void histogram.disable() };
  }

  /** One `name value` per line, waits in seconds. */
  render(): string {
    const histogram = this.#histogram;
    if (histogram === undefined) return '';
    const { count, min, mean, max } = histogram;
    // The asked-for pause is part of each measurement.
    const toWait = (nanos: number): number => Math.max(0, nanos / NANOS - RESOLUTION_MS / 1000);
    const shares = [50, 90, 99, 99.9].map((share): [string, number] => [
      `wait_p${share}`,
      toWait(histogram.percentile(share)),
    ]);
    const waits: [string, number][] = [
      ['wait_min', toWait(min)],
      ['wait_mean', toWait(mean)],
      ...shares,
      ['wait_max', toWait(max)],
    ];
    const known = waits.map(([name, seconds]) => `${name} ${count === 0 ? 0 : seconds.toFixed(6)}\n`);
    return `samples ${count}\n${known.join('')}`;
  }
}
