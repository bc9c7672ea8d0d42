/**
 * The shape of every long-lived piece of the agent, and the loops over a list
 * of them. A part stands in the list after those it was built from:
 *
 *   load  first to last, one after the other, before anything runs
 *   run   first to last, all at once, until `stop`
 *   podGone, close, flush  last to first: a part that reports the end of a
 *         pod stands after the stores it reads, so it runs before they forget
 *         the pod
 */

import { onAbort } from '../base/async/on-abort.ts';
import type { Logger } from '../base/log.ts';
import type { DesiredPod } from '../core/model/desired-pod.ts';
import type { PublishedStatus } from './pod/status-board.ts';

export interface AgentPart {
  /** In a few words, for the log. */
  readonly name: string;
  /** Reads what an earlier life of the agent saved. Rejects when the agent must not run without it. */
  load?(stop: AbortSignal): Promise<void>;
  /** Works until `stop` aborts; rejects only on a bug. */
  run?(stop: AbortSignal): Promise<void>;
  /** Nothing of the pod is left on this node; `last` is the last status that was published of it. */
  podGone?(record: DesiredPod, last: PublishedStatus | undefined): void;
  /** Saves what is not saved yet; after everything has come to rest. Never rejects. */
  flush?(): Promise<void>;
  /** The agent stops: ends timers and work that no loop waits for. */
  close?(): void;
}

/** One life of the parts: loads, runs until `stop` aborts, flushes. Rejects with the first failure, which is logged. */
export async function runParts(
  parts: readonly AgentPart[],
  logger: Logger,
  stop: AbortSignal,
): Promise<void> {
  const backwards = parts.toReversed();
  const close = (): void => {
    for (const part of backwards) part.close?.();
  };
  // Not taken back: when one part fails the others run on until the agent is stopped.
  onAbort(stop, close);
  const loaded: AgentPart[] = [];
  try {
    for (const part of parts) {
      await named(part, 'load', logger, stop, part.load?.(stop));
      loaded.push(part);
    }
    await Promise.all(parts.map((part) => named(part, 'run', logger, stop, part.run?.(stop))));
  } catch (error) {
    if (stop.aborted) await flushAll(loaded);
    throw error;
  }
  await flushAll(loaded);
}

/** Of parts that were loaded only: what was never read must not be overwritten. */
async function flushAll(loaded: readonly AgentPart[]): Promise<void> {
  for (const part of loaded.toReversed()) await part.flush?.();
}

/** Hands the end of a pod to all parts, last to first. */
export function announceGone(
  parts: readonly AgentPart[],
  record: DesiredPod,
  last: PublishedStatus | undefined,
): void {
  for (const part of parts.toReversed()) part.podGone?.(record, last);
}

async function named(
  { name }: AgentPart,
  step: 'load' | 'run',
  logger: Logger,
  stop: AbortSignal,
  work: Promise<void> | undefined,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    // What the end of the agent takes down with it is no failure of its own.
    if (!stop.aborted) logger.error('a part of the agent failed', error, { part: name, step });
    throw error;
  }
}
