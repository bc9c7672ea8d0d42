/** When the node last shut down in an orderly way; 0 for what was not. */
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';
import type { ShutdownTimes } from '../../core/shutdown/shutdown-times.ts';

export function addShutdownMetrics(
  registry: MetricRegistry,
  readTimes: () => ShutdownTimes | undefined,
): void {
  const add = (which: 'start' | 'end'): Gauge =>
    registry.add(
      new Gauge({
        name: `kubelet_graceful_shutdown_${which}_time_seconds`,
        help: `Last graceful shutdown ${which} time since unix epoch in seconds`,
      }),
    );
  const [start, end] = [add('start'), add('end')];
  registry.onRead(() => {
    const { startMs = 0, endMs = 0 } = readTimes() ?? {};
    start.set(Math.floor(startMs / 1000));
    end.set(Math.floor(endMs / 1000));
  });
}
