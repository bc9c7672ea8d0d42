/**
 * What an ordinary pod takes on this machine at this moment: the yardstick for
 * what is judged by the clock. A limit that holds on a machine with nothing
 * else to do would only measure its neighbours on a busy one.
 */
import assert from 'node:assert/strict';
import type { TestNode } from './node.ts';
import { sleepingPod } from './sample-pods.ts';

const PATIENCE_MS = 90_000;
/** The machine may be busy with something else for a moment; not each time. */
const TRIES = 3;

export interface UsualPod {
  /** From its manifest to its being ready. */
  readonly startMs: number;
  /** From the removal of its manifest to its being gone, though it ends as soon as it is asked to. */
  readonly endMs: number;
}

let count = 0;

/** Starts a pod that nothing is special about and takes it away again. */
export async function measureUsualPod(node: TestNode): Promise<UsualPod> {
  const name = `usual-${count++}`;
  const isOurs = (who: unknown): boolean => String(who).includes(node.podName(name));
  const writtenAt = await node.writeManifest(`${name}.yaml`, sleepingPod(name));
  const ready = await node.waitForLine(
    `that "${name}" is ready`,
    ({ msg, pod, state }) => msg === 'pod status' && isOurs(pod) && state === 'Running, Ready',
    PATIENCE_MS,
  );
  const removedAt = await node.removeManifest(`${name}.yaml`);
  const gone = await node.waitForLine(
    `that "${name}" is gone`,
    ({ msg, pod }) => msg === 'pod gone' && isOurs(pod),
    PATIENCE_MS,
  );
  return { startMs: ready.ts - writtenAt, endMs: gone.ts - removedAt };
}

/**
 * Fails when `measure` took longer than allowed each time. Something else that keeps the machine busy for a
 * moment spoils one try; a kubelet that waits for a timer, or for what hangs beside it, spoils all of them.
 */
export async function expectPrompt(
  what: string,
  limitMs: number,
  measure: (attempt: number) => Promise<number>,
): Promise<void> {
  const took: number[] = [];
  do took.push(Math.round(await measure(took.length)));
  while (Math.min(...took) > limitMs && took.length < TRIES);
  assert.ok(Math.min(...took) <= limitMs, `${what} after ${took.join(', ')} ms, with ${limitMs} allowed`);
}

/** The limit of a machine that has nothing else to do, or twice the usual time where that is more. */
export function toLimitMs(idleMs: number, usualMs: number): number {
  return Math.max(idleMs, 2 * usualMs);
}
