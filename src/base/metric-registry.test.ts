import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Counter, Gauge, Histogram, MetricRegistry } from './metric-registry.ts';

describe('MetricRegistry', () => {
  it('shows families by name, and lets gauges be set just before', () => {
    const registry = new MetricRegistry();
    const gauge = registry.add(new Gauge({ name: 'b', help: '' }));
    registry.add(new Counter({ name: 'a', help: '' }));
    registry.onRead(() => gauge.set(7));
    const families = registry.read();
    assert.deepEqual(
      families.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.deepEqual(families[1]?.samples(), [{ suffix: '', labels: [], value: 7 }]);
  });

  it('takes a name once', () => {
    const registry = new MetricRegistry();
    registry.add(new Counter({ name: 'a', help: '' }));
    assert.throws(() => registry.add(new Gauge({ name: 'a', help: '' })), /metric a exists already/);
  });
});

describe('Counter and Gauge', () => {
  it('start at zero without labels, and with none of their series otherwise', () => {
    assert.deepEqual(new Counter({ name: 'a', help: '' }).samples(), [{ suffix: '', labels: [], value: 0 }]);
    assert.deepEqual(new Counter({ name: 'a', help: '', labels: ['x'] }).samples(), []);
  });

  it('keep one series per set of values', () => {
    const counter = new Counter({ name: 'a', help: '', labels: ['x', 'y'] });
    counter.add(1, { x: '1', y: '2' });
    counter.add(2, { y: '2', x: '1' });
    counter.add(5, { x: '1' });
    const sums = counter.samples().map(({ labels, value }) => [labels.map(([, text]) => text).join(), value]);
    assert.deepEqual(sums, [
      ['1,2', 3],
      ['1,', 5],
    ]);
    counter.remove({ y: '2' });
    assert.equal(counter.samples().length, 1);
  });

  it('forget all series on reset', () => {
    const gauge = new Gauge({ name: 'a', help: '', labels: ['x'] });
    gauge.set(1, { x: '1' });
    gauge.reset();
    assert.deepEqual(gauge.samples(), []);
  });
});

describe('Histogram', () => {
  it('counts a value in every bucket it fits in, bounds included', () => {
    const histogram = new Histogram({ name: 'h', help: '', buckets: [1, 2] });
    for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value);
    assert.deepEqual(
      histogram.samples().map(({ suffix, labels, value }) => [suffix, labels.at(-1)?.[1], value]),
      [
        ['_bucket', '1', 2],
        ['_bucket', '2', 3],
        ['_bucket', '+Inf', 4],
        ['_sum', undefined, 12],
        ['_count', undefined, 4],
      ],
    );
  });

  it('spells the bounds of its buckets as every exporter does', () => {
    const histogram = new Histogram({
      name: 'h',
      help: '',
      buckets: [0, 0.00005, 0.005, 604800, 2592000, 31104000],
    });
    const bounds = histogram.samples().flatMap(({ labels }) => labels.map(([, text]) => text));
    assert.deepEqual(bounds, ['0', '5e-05', '0.005', '604800', '2.592e+06', '3.1104e+07', '+Inf']);
  });
});
