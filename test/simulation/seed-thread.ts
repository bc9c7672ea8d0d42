/** One thread of the simulation: takes every n-th seed and posts the stories of those that fail. */
import { parentPort, workerData } from 'node:worker_threads';
import { renderStory } from './render-story.ts';
import { runSeed } from './run-seed.ts';

export interface SeedThreadData {
  readonly first: number;
  readonly last: number;
  readonly every: number;
  readonly steps?: number;
}

/** Worlds side by side: while one waits for a turn of the event loop another works. */
const SIDE_BY_SIDE = 2;
/** More histories of the same bug add nothing. */
const ENOUGH = 3;

// Errors are made by the thousand here, and most are part of the story; SEED=k shows where one comes from.
Error.stackTraceLimit = 0;

const { first, last, every, ...options } = workerData as SeedThreadData;
let next = first;
let failures = 0;

async function runSome(): Promise<void> {
  while (next <= last && failures < ENOUGH) {
    const seed = next;
    next += every;
    const result = await runSeed(seed, options);
    if (result.violation === undefined) continue;
    failures++;
    parentPort?.postMessage(renderStory(seed, result));
  }
}

await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runSome));
