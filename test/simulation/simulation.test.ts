/**
 * The whole agent on virtual time, one random history per seed.
 *   SEEDS=n   how many seeds (1000)     SEED=k    only this one, with the agent's log
 *   FIRST=k   the first seed (1)        STEPS=n   fewer steps, to find the one that matters
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { SeedThreadData } from './seed-thread.ts';

const { SEED, SEEDS = '1000', FIRST = '1', STEPS } = process.env;
const options = STEPS === undefined ? {} : { steps: Number(STEPS) };
const threads = Math.min(4, availableParallelism());

if (SEED === undefined) {
  test(`the agent keeps its invariants in ${SEEDS} random histories`, async () => {
    const failures: string[] = [];
    const last = Number(FIRST) + Number(SEEDS) - 1;
    const runThread = async (first: number): Promise<void> => {
      const workerData: SeedThreadData = { first, last, every: threads, ...options };
      const url = new URL('./seed-thread.ts', import.meta.url);
      const worker = new Worker(url, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 96 } });
      worker.on('message', (story: string) => failures.push(story));
      const [code] = await once(worker, 'exit');
      assert.equal(code, 0);
    };
    await Promise.all(Array.from({ length: threads }, (_, index) => runThread(Number(FIRST) + index)));
    assert.equal(failures.length, 0, failures.join('\n\n'));
  });
} else {
  test(`the agent keeps its invariants in seed ${SEED}`, async (t) => {
    // Only here: with many seeds the threads load the world, and this one need not.
    const { runSeed } = await import('./run-seed.ts');
    const { renderStory } = await import('./render-story.ts');
    const result = await runSeed(Number(SEED), { ...options, log: true });
    const story = renderStory(Number(SEED), result);
    t.diagnostic(story);
    assert.equal(result.violation, undefined, story);
  });
}
