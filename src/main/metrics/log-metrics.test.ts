import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MetricRegistry } from '../../base/metric-registry.ts';
import type { StatisticsReading } from '../../ports/host/node-statistics.ts';
import { addLogMetrics } from './log-metrics.ts';

const startTime = '2026-01-01T00:00:00Z';
const reading: StatisticsReading = {
  atMs: 1,
  layout: 'single',
  summary: {
    node: { nodeName: 'n', startTime },
    pods: [
      {
        podRef: { name: 'p', namespace: 'ns', uid: 'u' },
        startTime,
        containers: [
          { name: 'a', startTime, logs: { time: startTime, usedBytes: 7 } },
          { name: 'b', startTime },
        ],
      },
    ],
  },
};

describe('addLogMetrics', () => {
  it('shows the logs of the last reading, and none before the first or after the pod', () => {
    const registry = new MetricRegistry();
    let last: StatisticsReading | undefined;
    addLogMetrics(registry, { peek: () => last });
    const shown = (): string[] =>
      registry
        .read()
        .flatMap((family) =>
          family.samples().map(({ labels, value }) => `${labels.map(([, text]) => text).join('/')} ${value}`),
        );
    assert.deepEqual(shown(), []);
    last = reading;
    assert.deepEqual(shown(), ['u/ns/p/a 7']);
    last = { ...reading, summary: { ...reading.summary, pods: [] } };
    assert.deepEqual(shown(), []);
  });
});
