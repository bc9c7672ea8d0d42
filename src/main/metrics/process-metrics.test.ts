import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSamples } from '../../../test/samples/sample-readings.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { addProcess, addStartTime, readLimit, readNetworkBytes } from './process-metrics.ts';

describe('addProcess', () => {
  it('reports the time, memory and files of this process', () => {
    const registry = new MetricRegistry();
    addProcess(registry);
    addStartTime(registry, 'NONE');
    const found = readSamples(registry);
    for (const name of [
      'cpu_seconds_total',
      'resident_memory_bytes',
      'virtual_memory_bytes',
      'open_fds',
      'max_fds',
    ])
      assert.ok((found[`process_${name}`] ?? 0) > 0, name);
    const started = (found['process_start_time_seconds'] ?? 0) * 1000;
    assert.ok(Math.abs(Date.now() - performance.now() - started) < 60_000);
    const again = readSamples(registry);
    assert.ok((again['process_cpu_seconds_total'] ?? 0) >= (found['process_cpu_seconds_total'] ?? 0));
  });
});

describe('readLimit', () => {
  it('reads the soft limit', () => {
    const limits =
      'Max open files            20000                1000000              files\nMax address space         unlimited            unlimited            bytes\n';
    assert.equal(readLimit(limits, 'Max open files'), 20_000);
    assert.equal(readLimit(limits, 'Max address space'), 2 ** 64);
  });
});

describe('readNetworkBytes', () => {
  it('finds values by the names above them, and none where there are none', () => {
    const text = 'TcpExt: A InOctets\nTcpExt: 1 2\nIpExt: InMcast InOctets OutOctets\nIpExt: 9 300 400\n';
    assert.deepEqual(readNetworkBytes(text), { received: 300, sent: 400 });
    assert.deepEqual(readNetworkBytes(''), { received: 0, sent: 0 });
  });
});
