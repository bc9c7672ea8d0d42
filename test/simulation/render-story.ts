/** The story of one seed, for a person who has to understand it. */
import type { SeedResult } from './run-seed.ts';

const LAST_CALLS = 40;

export function renderStory(seed: number, { world, violation }: SeedResult): string {
  const calls = world.runtime.log
    .slice(-LAST_CALLS)
    .map(({ atMs, op, podUid = '', containerName = '', phase, error = '' }) => {
      const seconds = ((atMs - world.nowMs) / 1000).toFixed(3);
      return `  ${seconds}s ${phase} ${op} ${podUid} ${containerName} ${error}`.trimEnd();
    });
  const verdict =
    violation === undefined
      ? 'no violation'
      : `"${violation.invariant}" is violated at ${world.elapsed}\n  ${violation.detail}`;
  return [
    `seed ${seed}: ${verdict}`,
    'steps, each with the time at its end:',
    ...world.trace.map((line) => `  ${line}`),
    'last calls of the runtime, in seconds before the end:',
    ...calls,
    `replay: SEED=${seed} node --test test/simulation/simulation.test.ts`,
  ].join('\n');
}
