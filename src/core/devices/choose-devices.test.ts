import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseDevices, type DeviceDemand } from './choose-devices.ts';
import type { Device } from './device.ts';

const device = (id: string, numaNodes: readonly number[] = [], isHealthy = true): Device => ({
  id,
  numaNodes,
  isHealthy,
});

function demand(given: Partial<DeviceDemand> & { readonly list?: readonly Device[] }): DeviceDemand {
  const { list = [device('a'), device('b'), device('c')], ...rest } = given;
  const devices = new Map(list.map((one) => [one.id, one]));
  return {
    resource: 'x.io/d',
    count: 1,
    reusable: new Set(),
    devices,
    taken: new Set(),
    affinity: undefined,
    ...rest,
  };
}

function idsOf(choice: ReturnType<typeof chooseDevices>): readonly string[] {
  assert.ok(choice.ok, JSON.stringify(choice));
  return choice.ids;
}

describe('chooseDevices', () => {
  it('takes healthy and free devices in the order of the plugin', () => {
    const list = [device('a', [], false), device('b'), device('c'), device('d')];
    assert.deepEqual(idsOf(chooseDevices(demand({ list, count: 2, taken: new Set(['c']) }))), ['b', 'd']);
  });

  it('says how many there are when there are too few', () => {
    const choice = chooseDevices(demand({ count: 3, taken: new Set(['a']) }));
    const message = 'requested number of devices unavailable for x.io/d. Requested: 3, Available: 2';
    assert.deepEqual(choice, { ok: false, message });
  });

  it('reuses first, and asks only for what is missing', () => {
    const reusable = new Set(['z']);
    assert.deepEqual(idsOf(chooseDevices(demand({ reusable }))), ['z']);
    const more = chooseDevices(demand({ reusable, count: 2 }));
    assert.deepEqual(idsOf(more), ['z', 'a']);
    assert.ok(more.ok);
    assert.deepEqual(more.question, { available: ['z', 'a', 'b', 'c'], mustInclude: ['z'], size: 2 });
  });

  it('there is nothing to prefer when all are needed', () => {
    const choice = chooseDevices(demand({ count: 3 }));
    assert.ok(choice.ok);
    assert.equal(choice.question, undefined);
  });

  it('what the plugin prefers counts, as far as it may be given', () => {
    const list = [device('a'), device('b', [], false), device('c'), device('d')];
    const answers: [readonly string[], readonly string[]][] = [
      [
        ['d', 'c'],
        ['d', 'c'],
      ],
      [
        ['d', 'd'],
        ['d', 'a'],
      ],
      [
        ['b', 'nonsense', 'taken'],
        ['a', 'c'],
      ],
      [
        ['d', 'c', 'a'],
        ['d', 'c'],
      ],
    ];
    for (const [preferred, expected] of answers)
      assert.deepEqual(idsOf(chooseDevices(demand({ list, count: 2 }), preferred)), expected);
  });

  it('devices near the place come first, then those near another, then those near none', () => {
    const list = [device('none'), device('far', [1]), device('near', [0]), device('both', [0, 1])];
    const near = (count: number) => chooseDevices(demand({ list, count, affinity: [0] }));
    assert.deepEqual(idsOf(near(1)), ['near']);
    assert.deepEqual(idsOf(near(2)), ['near', 'both']);
    assert.deepEqual(idsOf(near(3)), ['near', 'both', 'far']);
    assert.deepEqual(idsOf(near(4)), ['near', 'both', 'far', 'none']);
    const one = near(1);
    assert.ok(one.ok);
    assert.deepEqual(one.question, { available: ['near', 'both'], mustInclude: [], size: 1 });
    const three = near(3);
    assert.ok(three.ok);
    assert.deepEqual(three.question?.mustInclude, ['near', 'both']);
  });

  it('takes no long time for as many devices as a list can hold', () => {
    const list = Array.from({ length: 60_000 }, (_, at) => device(`device-${at}`));
    const reusable = new Set(list.slice(0, 10_000).map(({ id }) => id));
    const preferred = list.slice(20_000).map(({ id }) => id);
    const before = process.cpuUsage();
    const ids = idsOf(chooseDevices(demand({ list, reusable, count: 50_000 }), preferred));
    const { user } = process.cpuUsage(before);
    assert.deepEqual([...ids], [...reusable, ...preferred]);
    // A second of CPU time; comparing each with each takes several.
    assert.ok(user < 1_000_000, `${user / 1000} ms`);
  });
});
