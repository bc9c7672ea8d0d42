/**
 * Whether a parser's time grows in step with its input. The same shape is
 * parsed at one size and at eight times that size: linear work takes eight
 * times as long, quadratic work sixty-four times.
 */
import type { FuzzTarget } from './fuzz-target.ts';

const TIMES = 8;
/** Between the two, with room for caches, collections and a busy machine. */
const MOST_GROWTH = 28;
/** What takes less is within the noise. */
const LEAST_MS = 40;

/** Undefined when the growth is in order, else what was measured. */
export async function findSlowGrowth(
  target: FuzzTarget,
  make: (size: number) => Buffer,
  size: number,
): Promise<string | undefined> {
  const small = make(size);
  const large = make(size * TIMES);
  await target.check(small);
  const isInOrder = (smallMs: number, largeMs: number): boolean =>
    largeMs < LEAST_MS || largeMs <= smallMs * MOST_GROWTH;
  // A small input that happens to take long would hide the growth.
  if (isInOrder(await measure(target, small, 3), await measure(target, large, 1))) return undefined;
  const smallMs = await measure(target, small, 3);
  const largeMs = await measure(target, large, 3);
  if (isInOrder(smallMs, largeMs)) return undefined;
  return `${small.length} bytes take ${smallMs.toFixed(2)} ms, ${large.length} bytes ${largeMs.toFixed(2)} ms`;
}

/** CPU time of the best run, because others use the machine too. */
async function measure(target: FuzzTarget, input: Buffer, runs: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let at = 0; at < runs; at++) {
    const before = process.cpuUsage();
    await target.check(input);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
