/**
 * The input of one run: a seed of the target changed in a few random ways. It
 * depends on the seed number, the target and the number of the run alone, so
 * that any run can be repeated by itself.
 */

import { SeededRandom } from '../fakes/seeded-random.ts';
import type { FuzzTarget } from './fuzz-target.ts';

const MAX_BYTES = 4096;
const BYTES = [0, 1, 9, 10, 13, 32, 34, 45, 46, 47, 58, 92, 95, 127, 128, 192, 255] as const;

type Change = (input: Buffer, random: SeededRandom, target: FuzzTarget) => Buffer;

const CHANGES: readonly Change[] = [
  (input, random) => replace(input, random, Buffer.of(random.int(256)), 1),
  (input, random) => replace(input, random, Buffer.of(random.pick(BYTES)), random.int(2)),
  (input, random) => flipBit(input, random),
  (input, random) => replace(input, random, Buffer.alloc(0), 1 + random.int(16)),
  (input, random) => input.subarray(0, random.int(input.length + 1)),
  (input, random) => duplicate(input, random),
  (input, random, { words }) =>
    replace(input, random, Buffer.from(words.length > 0 ? random.pick(words) : ''), 0),
  (input, random, { words }) =>
    replace(input, random, Buffer.from(words.length > 0 ? random.pick(words) : ''), random.int(8)),
  (input, random, target) => splice(input, random, target),
  (input, random) =>
    replace(input, random, Buffer.from(String(2 ** random.int(70) - random.int(2))), random.int(3)),
];

export function makeInput(target: FuzzTarget, seed: number, run: number): Buffer {
  const random = new SeededRandom(seed).fork(`${target.name} ${run}`);
  let input: Buffer = Buffer.from(random.pick(target.seeds));
  const changes = random.int(8);
  for (let at = 0; at < changes; at++)
    input = random.pick(CHANGES)(input, random, target).subarray(0, MAX_BYTES);
  return input;
}

/** Puts `bytes` in the place of `count` others. */
function replace(input: Buffer, random: SeededRandom, bytes: Buffer, count: number): Buffer {
  const at = random.int(input.length + 1);
  return Buffer.concat([input.subarray(0, at), bytes, input.subarray(at + count)]);
}

function flipBit(input: Buffer, random: SeededRandom): Buffer {
  const copy = Buffer.from(input);
  const at = random.int(copy.length + 1);
  if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.int(8));
  return copy;
}

function duplicate(input: Buffer, random: SeededRandom): Buffer {
  const start = random.int(input.length + 1);
  const part = input.subarray(start, start + random.int(64));
  return Buffer.concat([input.subarray(0, start), part, part, input.subarray(start)]);
}

function splice(input: Buffer, random: SeededRandom, { seeds }: FuzzTarget): Buffer {
  const other = Buffer.from(random.pick(seeds));
  return Buffer.concat([
    input.subarray(0, random.int(input.length + 1)),
    other.subarray(random.int(other.length + 1)),
  ]);
}
