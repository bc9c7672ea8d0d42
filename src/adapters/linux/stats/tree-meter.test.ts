import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import type { TreeSample } from './measure-tree.ts';
import { TreeMeter } from './tree-meter.ts';

const SAMPLE: TreeSample = { usedBytes: 1, inodesUsed: 1, isComplete: true };

function setUp() {
  const clock = new FakeClock();
  const walks = new Map<string, PromiseWithResolvers<TreeSample>>();
  const meter = new TreeMeter(clock, (path) => {
    const walk = Promise.withResolvers<TreeSample>();
    walks.set(path, walk);
    return walk.promise;
  });
  const { signal } = new AbortController();
  return { clock, walks, meter, measure: (path: string) => meter.measure(path, signal) };
}

const settle = (): Promise<void> => new Promise(setImmediate);

describe('TreeMeter', () => {
  it('measures one tree at a time', async () => {
    const { walks, measure } = setUp();
    const [a, b] = [measure('/a'), measure('/b')];
    await settle();
    assert.deepEqual([...walks.keys()], ['/a']);
    walks.get('/a')?.resolve(SAMPLE);
    assert.equal(await a, SAMPLE);
    await settle();
    assert.deepEqual([...walks.keys()], ['/a', '/b']);
    walks.get('/b')?.resolve(SAMPLE);
    await b;
  });

  it('goes on past one that hangs, and begins no more when two do', async () => {
    const { clock, walks, measure } = setUp();
    measure('/dead1').catch(() => {});
    measure('/dead2').catch(() => {});
    await settle();
    await clock.advance(120_000);
    await settle();
    assert.deepEqual([...walks.keys()], ['/dead1', '/dead2']);
    await clock.advance(120_000);
    await assert.rejects(measure('/c'), {
      code: 'unavailable',
      message: 'cannot measure "/c": 2 trees hang',
    });
    walks.get('/dead1')?.resolve(SAMPLE);
    await settle();
    const again = measure('/c');
    await settle();
    walks.get('/c')?.resolve(SAMPLE);
    assert.equal(await again, SAMPLE);
  });

  it('lets an unmount wait until a tree is left, but not for one that hangs', async () => {
    const { clock, walks, meter, measure } = setUp();
    await meter.whenLeft('/a');
    const walk = measure('/a');
    await settle();
    let isLeft = false;
    const left = meter.whenLeft('/a').then(() => {
      isLeft = true;
    });
    await settle();
    assert.equal(isLeft, false);
    walks.get('/a')?.reject(new Error('aborted'));
    await assert.rejects(walk, /aborted/);
    await left;
    measure('/dead').catch(() => {});
    await settle();
    const given = meter.whenLeft('/dead');
    await clock.advance(2000);
    await given;
    await clock.advance(120_000);
    assert.equal(clock.pendingTimers, 0);
  });
});
