import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSamples } from '../../../test/samples/sample-readings.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { addPluginCounts, addVolumeCounts } from './storage-metrics.ts';

describe('addVolumeCounts', () => {
  it('counts at every scrape the desired and the actual volumes, by plugin', () => {
    const registry = new MetricRegistry();
    const csi = 'kubernetes.io/csi:disk.test';
    let ready = [csi];
    addVolumeCounts(registry, { listVolumePlugins: () => ({ wanted: [csi, csi, undefined], ready }) });
    const wanted = {
      [`volume_manager_total_volumes plugin_name=${csi} state=desired_state_of_world`]: 2,
      'volume_manager_total_volumes plugin_name=N/A state=desired_state_of_world': 1,
    };
    const there = `volume_manager_total_volumes plugin_name=${csi} state=actual_state_of_world`;
    assert.deepEqual(readSamples(registry), { ...wanted, [there]: 1 });
    ready = [];
    assert.deepEqual(readSamples(registry), wanted);
  });
});

describe('addPluginCounts', () => {
  it('reports which sockets there are and which of them are registered', () => {
    const registry = new MetricRegistry();
    const sockets = [
      { path: '/a.sock', registered: true },
      { path: '/b.sock', registered: false },
    ];
    addPluginCounts(registry, { sockets: () => sockets });
    assert.deepEqual(readSamples(registry), {
      'plugin_manager_total_plugins socket_path=/a.sock state=desired_state_of_world': 1,
      'plugin_manager_total_plugins socket_path=/a.sock state=actual_state_of_world': 1,
      'plugin_manager_total_plugins socket_path=/b.sock state=desired_state_of_world': 1,
    });
  });
});
