import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { readSamples as read } from '../../../test/samples/sample-readings.ts';
import type { Agent } from '../../agent/agent-ports.ts';
import { NodeMetrics } from './node-metrics.ts';

describe('NodeMetrics.describePods', () => {
  it('shows when the runtime was last listed as a time of day, and zero before the first time', async () => {
    const clock = new FakeClock();
    const metrics = new NodeMetrics();
    const observer: { lastRelistMs: number | undefined; lastReadings: () => [] } = {
      lastRelistMs: undefined,
      lastReadings: () => [],
    };
    const agent = {
      desired: { records: new Map() },
      observer,
      volumeStats: { list: () => [] },
      statistics: { peek: () => undefined },
      evictor: undefined,
    };
    metrics.describePods(agent as unknown as Agent, clock);
    const lastSeen = (): number => read(metrics.registry)['kubelet_pleg_last_seen_seconds'] ?? 0;
    assert.equal(lastSeen(), 0);
    const listedAtMs = clock.now();
    observer.lastRelistMs = clock.steady();
    await clock.advance(7_000);
    assert.equal(lastSeen(), listedAtMs / 1000);
  });
});
