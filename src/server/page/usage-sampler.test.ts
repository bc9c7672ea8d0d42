import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SamplePage } from '../../../test/samples/sample-page.ts';
import { AgentError } from '../../base/errors.ts';
import { UsageSampler } from './usage-sampler.ts';

describe('UsageSampler', () => {
  it('never rejects: a page without numbers ends no agent', async () => {
    for (const error of [new AgentError('unavailable', 'no'), new TypeError('a bug')]) {
      const { source } = new SamplePage(new FakeClock());
      const statistics = { ...source.node.statistics, readUsage: () => Promise.reject(error) };
      const sampler = new UsageSampler({ kit: source.kit, node: { ...source.node, statistics } });
      await sampler.refresh();
      assert.equal(sampler.last, undefined);
    }
  });

  it('measures once for pages that are opened in a moment', async () => {
    const clock = new FakeClock();
    const sample = new SamplePage(clock);
    const sampler = new UsageSampler(sample.source);
    await Promise.all([sampler.refresh(), sampler.refresh()]);
    await sampler.refresh();
    assert.equal(sample.measured, 1);
    await clock.advance(5_000);
    await sampler.refresh();
    assert.equal(sample.measured, 2);
    await clock.advance(60_000);
    assert.equal(sampler.last, undefined, 'what is old is not shown');
  });
});
