import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { LiveConfiguration } from './live-configuration.ts';

const withPods = (maxPods: number) => ({ config: { maxPods } }) as unknown as LoadedConfiguration;

describe('LiveConfiguration', () => {
  it('a view shows the values of now, computed once per configuration', () => {
    let computed = 0;
    const live = new LiveConfiguration(withPods(1));
    const view = live.view(({ config }) => ({ pods: config.maxPods, run: ++computed }));
    assert.equal(view.pods, 1);
    assert.equal(view.pods, 1);
    assert.equal(computed, 1);
    live.replace(withPods(2));
    assert.equal(view.pods, 2);
    assert.deepEqual({ ...view }, { pods: 2, run: 2 });
  });

  it('a view keeps the objects of values that a reload left alone', () => {
    const live = new LiveConfiguration(withPods(1));
    const view = live.view(({ config }) => ({ pods: [config.maxPods], thresholds: [{ signal: 'a' }] }));
    const { pods, thresholds } = view;
    live.replace(withPods(2));
    assert.equal(view.thresholds, thresholds);
    assert.notEqual(view.pods, pods);
    assert.deepEqual(view.pods, [2]);
  });

  it('says that it changed after it did', () => {
    const live = new LiveConfiguration(withPods(1));
    const seen: number[] = [];
    live.changed.subscribe(() => seen.push(live.current.config.maxPods));
    live.replace(withPods(7));
    assert.deepEqual(seen, [7]);
  });
});
