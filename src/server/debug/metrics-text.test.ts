import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Histogram, MetricRegistry } from '../../base/metric-registry.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { replyMetrics } from './metrics-text.ts';

function scrape(headers: Readonly<Record<string, string>>): HttpReply {
  const registry = new MetricRegistry();
  registry.add(new Counter({ name: 'calls_total', help: 'Calls.' })).add(2);
  registry.add(new Histogram({ name: 'call_seconds', help: 'Times.', buckets: [1] })).observe(0.5);
  return replyMetrics({ headers }, registry);
}

describe('replyMetrics', () => {
  it('has one format, without exemplars, also for a caller that prefers OpenMetrics', () => {
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4';
    const { headers, body } = scrape({ accept });
    assert.match(headers?.['content-type'] ?? '', /^text\/plain; version=0\.0\.4;/);
    assert.doesNotMatch(String(body), /# EOF| # \{/);
    assert.match(String(body), /^calls_total 2$/m);
    assert.deepEqual(scrape({}).body, body);
  });
});
