import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../api/pod.ts';
import { decidePreemption } from './decide-preemption.ts';
import { requestOf } from './find-shortages.ts';

const CRITICAL = samplePod({ priority: 2_000_001_000 });

function pod(
  name: string,
  cpu: number,
  options: { guaranteed?: boolean; memory?: number; priority?: number } = {},
): Pod {
  const { guaranteed = false, memory = 1, priority } = options;
  const requests = { ...(cpu > 0 && { cpu: `${cpu}m`, memory: `${memory}Mi` }) };
  const resources = guaranteed ? { requests, limits: requests } : { requests };
  const spec = {
    containers: [{ name: 'main', image: 'i', resources }],
    ...(priority !== undefined && { priority }),
  };
  return samplePod(spec, { metadata: { name } });
}

function choose(missing: number, pods: readonly Pod[], preemptor = CRITICAL): string[] | string {
  const shortage = { resource: 'cpu', requested: missing, used: 0, capacity: 0 };
  const result = decidePreemption(preemptor, [shortage], pods);
  return result.ok ? result.victims.map(({ metadata }) => metadata.name) : result.problem;
}

describe('decidePreemption', () => {
  it('spares guaranteed pods while burstable ones suffice', () => {
    const pods = [pod('guaranteed', 500, { guaranteed: true }), pod('burstable', 500)];
    assert.deepEqual(choose(400, pods), ['burstable']);
    assert.deepEqual(choose(600, pods), ['burstable', 'guaranteed']);
  });

  it('prefers one pod that is enough to several, and of equals the smaller', () => {
    const pods = [pod('small', 300), pod('big', 900, { memory: 9 }), pod('enough', 700, { memory: 5 })];
    assert.deepEqual(choose(600, pods), ['enough']);
  });

  it('takes of pods that are as close the one with less memory, then with less cpu', () => {
    const memory = { resource: 'memory', requested: 2 ** 20, used: 0, capacity: 0 };
    const victims = (pods: readonly Pod[]): string[] => {
      const result = decidePreemption(CRITICAL, [memory], pods);
      return result.ok ? result.victims.map(({ metadata }) => metadata.name) : [];
    };
    assert.deepEqual(victims([pod('large', 100, { memory: 9 }), pod('lean', 900, { memory: 5 })]), ['lean']);
    assert.deepEqual(victims([pod('busy', 900, { memory: 5 }), pod('calm', 100, { memory: 5 })]), ['calm']);
  });

  it('weighs needs by their shares, squared', () => {
    const shortages = [
      { resource: 'cpu', requested: 1_000, used: 0, capacity: 0 },
      { resource: 'memory', requested: 100 * 2 ** 20, used: 0, capacity: 0 },
    ];
    // Both lack as much in sum: 0.9 + 0.1 against 0.5 + 0.5, and the more even one is closer.
    const pods = [
      pod('uneven', 100, { memory: 90 }),
      pod('even', 500, { memory: 50 }),
      pod('rest', 1_000, { memory: 200, guaranteed: true }),
    ];
    const result = decidePreemption(CRITICAL, shortages, pods);
    assert.deepEqual(result.ok && result.victims.map(({ metadata }) => metadata.name), ['rest']);
    const burstable = decidePreemption(CRITICAL, shortages, [
      ...pods.slice(0, 2),
      pod('last', 500, { memory: 50 }),
    ]);
    assert.deepEqual(burstable.ok && burstable.victims.map(({ metadata }) => metadata.name), [
      'even',
      'last',
    ]);
  });

  it('adds pods until the need is met, the closest first', () => {
    assert.deepEqual(choose(800, [pod('a', 200), pod('b', 500), pod('c', 400)]), ['b', 'c']);
  });

  it('takes any pod when places for pods are missing, best effort first', () => {
    const shortage = { resource: 'pods', requested: 1, used: 2, capacity: 2 };
    const result = decidePreemption(CRITICAL, [shortage], [pod('burstable', 100), pod('best-effort', 0)]);
    assert.deepEqual(result.ok && result.victims.map(({ metadata }) => metadata.name), ['best-effort']);
  });

  it('takes critical pods only when their priority is lower', () => {
    const lesser = pod('lesser', 500, { priority: 2_000_000_000 });
    const equal = pod('equal', 500, { priority: 2_000_001_000 });
    assert.deepEqual(choose(400, [equal, lesser]), ['lesser']);
    assert.equal(
      choose(600, [equal, lesser]),
      'no set of running pods found to reclaim resources: [(res: cpu, q: 100), ]',
    );
  });

  it('frees what is missing whenever all together could, and names no pod twice', () => {
    const someone = fc.record({ cpu: fc.integer({ min: 0, max: 900 }), guaranteed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(someone, { maxLength: 8 }), fc.integer({ min: 1, max: 3000 }), (list, missing) => {
        const pods = list.map(({ cpu, guaranteed }, index) => pod(`p${index}`, cpu, { guaranteed }));
        const freed = (some: readonly Pod[]): number =>
          some.reduce((sum, one) => sum + requestOf(one, 'cpu'), 0);
        const names = choose(missing, pods);
        assert.equal(Array.isArray(names), freed(pods) >= missing);
        if (!Array.isArray(names)) return;
        assert.equal(new Set(names).size, names.length);
        assert.ok(freed(pods.filter(({ metadata }) => names.includes(metadata.name))) >= missing);
      }),
    );
  });
});
