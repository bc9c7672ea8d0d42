import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { NO_USAGE, type VolumeMeasurement } from '../../core/volume/volume-usage.ts';
import { addVolumeMetrics } from './volume-metrics.ts';

describe('addVolumeMetrics', () => {
  const one = (name: string, over: Partial<VolumeMeasurement> = {}): VolumeMeasurement => ({
    podUid: 'u',
    volume: 'v',
    claim: { namespace: 'shop', name },
    takenAtMs: 0,
    usage: {
      capacityBytes: 1,
      availableBytes: 2,
      usedBytes: 3,
      inodes: 4,
      inodesFree: 5,
      inodesUsed: 6,
    },
    ...over,
  });

  it('shows every number of a claim, health only where it is known, and nothing of what is gone', () => {
    const registry = new MetricRegistry();
    let measured: readonly VolumeMeasurement[] = [];
    addVolumeMetrics(registry, () => measured);
    const read = (): Record<string, string> =>
      Object.fromEntries(
        registry.read().flatMap((family) =>
          family.samples().map(({ labels, value }) => {
            const names = labels.map(([key, text]) => `${key}=${text}`).join(' ');
            return [`${family.name.replace('kubelet_volume_stats_', '')} ${names}`, String(value)];
          }),
        ),
      );
    measured = [one('a'), one('a', { usage: NO_USAGE })];
    const of = 'namespace=shop persistentvolumeclaim=a';
    assert.deepEqual(read(), {
      [`capacity_bytes ${of}`]: '1',
      [`available_bytes ${of}`]: '2',
      [`used_bytes ${of}`]: '3',
      [`inodes ${of}`]: '4',
      [`inodes_free ${of}`]: '5',
      [`inodes_used ${of}`]: '6',
    });
    measured = [one('b', { condition: { abnormal: true, message: '' } })];
    const sick = read();
    assert.equal(sick['health_status_abnormal namespace=shop persistentvolumeclaim=b'], '1');
    assert.equal(Object.keys(sick).length, 7);
    measured = [one('b', { condition: { abnormal: false, message: '' } })];
    assert.equal(read()['health_status_abnormal namespace=shop persistentvolumeclaim=b'], '0');
    measured = [];
    assert.deepEqual(read(), {});
  });
});
