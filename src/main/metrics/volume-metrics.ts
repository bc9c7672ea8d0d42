/** How full the volumes behind claims are, from the last readings: a scrape waits for no volume. */
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';
import { pickByClaim, type VolumeMeasurement, type VolumeUsage } from '../../core/volume/volume-usage.ts';

const LABELS = ['namespace', 'persistentvolumeclaim'];

const FAMILIES: readonly (readonly [keyof VolumeUsage, name: string, help: string])[] = [
  ['capacityBytes', 'capacity_bytes', 'Capacity in bytes of the volume'],
  ['availableBytes', 'available_bytes', 'Number of available bytes in the volume'],
  ['usedBytes', 'used_bytes', 'Number of used bytes in the volume'],
  ['inodes', 'inodes', 'Maximum number of inodes in the volume'],
  ['inodesFree', 'inodes_free', 'Number of free inodes in the volume'],
  ['inodesUsed', 'inodes_used', 'Number of used inodes in the volume'],
];

export function addVolumeMetrics(
  registry: MetricRegistry,
  readMeasurements: () => readonly VolumeMeasurement[],
): void {
  const add = (name: string, help: string): Gauge =>
    registry.add(new Gauge({ name: `kubelet_volume_stats_${name}`, help, labels: LABELS }));
  const gauges = FAMILIES.map(([field, name, help]) => [field, add(name, help)] as const);
  const abnormal = add(
    'health_status_abnormal',
    'Abnormal volume health status. The count is either 1 or 0. 1 indicates the volume is unhealthy, 0 indicates volume is healthy',
  );
  registry.onRead(() => {
    for (const [, gauge] of gauges) gauge.reset();
    abnormal.reset();
    for (const { claim, usage, condition } of pickByClaim(readMeasurements())) {
      const labels = { namespace: claim.namespace, persistentvolumeclaim: claim.name };
      for (const [field, gauge] of gauges) gauge.set(usage[field], labels);
      if (condition !== undefined) abnormal.set(condition.abnormal ? 1 : 0, labels);
    }
  });
}
