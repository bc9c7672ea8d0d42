/** A fixed part of the fuzzing, and how the time of each parser grows; `make fuzz` has as much as one likes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TARGETS } from './fuzz-targets.ts';
import { makeInput } from './mutate.ts';
import { runInputs } from './run-inputs.ts';
import { findSlowGrowth } from './time-growth.ts';

/** Of the quick and of the slow targets: inputs, and the size in bytes that growth in time is measured from. */
const QUICK = { count: 3000, size: 16_384 };
const SLOW = { count: 500, size: 4096 };

describe('fuzzing', () => {
  for (const target of TARGETS) {
    const { count, size } = target.isSlow ? SLOW : QUICK;
    it(`${target.name}: holds its invariants on ${count} inputs`, () =>
      runInputs(target, { seed: 1, first: 0, count }));

    it(`${target.name}: takes time in step with the size of its input`, async () => {
      for (const [what, make] of Object.entries(target.large))
        assert.equal(await findSlowGrowth(target, make, size), undefined, what);
    });
  }

  it('an input depends on seed, target and number alone, and inputs differ', () => {
    for (const target of TARGETS) {
      const inputs = Array.from({ length: 50 }, (_, run) => makeInput(target, 7, run).toString('hex'));
      assert.deepEqual(
        inputs,
        inputs.map((_, run) => makeInput(target, 7, run).toString('hex')),
      );
      assert.ok(new Set(inputs).size > 20, target.name);
    }
  });

  it('a failure is reported with the command that repeats it', async () => {
    const [any] = TARGETS;
    assert.ok(any);
    const check = (): void => assert.fail('broken');
    const runs = runInputs({ ...any, name: 'x', check }, { seed: 3, first: 5, count: 9 });
    await assert.rejects(runs, /make fuzz TARGET=x SEED=3 FIRST=5 RUNS=1: input "/);
  });

  it('quadratic time is found', async () => {
    const check = (input: Buffer): void => {
      let sum = 0;
      // Several times what counts as noise, also on a quick machine.
      for (let at = 0; at < (input.length / 8) ** 2; at++) sum += at & 3;
      assert.ok(sum >= 0);
    };
    const target = { name: 'x', seeds: [], words: [], large: {}, check };
    assert.match(
      (await findSlowGrowth(target, (size) => Buffer.alloc(size), QUICK.size)) ?? '',
      /bytes take/,
    );
  });
});
