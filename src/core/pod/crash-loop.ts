/**
 * The crash-loop rule for one container: an instance that ended may be
 * followed by the next one only after the back-off, counted from the end of
 * the last. Entries are keyed by what the container is (name, image,
 * resources), so an edited container starts without delay.
 */
import {
  advanceBackOff,
  type BackOffPolicy,
  backOffUntil,
  CLOCK_SKEW_MS,
} from '../../base/async/back-off.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import type { Container, Pod } from '../api/pod.ts';
import { describePod } from '../api/pod-identity.ts';
import type { CrashLoopEntry } from '../model/crash-loop-entry.ts';
import { newestInstance, type ObservedContainer, type ObservedPod } from '../model/observed-pod.ts';
import type { WaitingReason } from '../model/start-failure.ts';
import { computeBackOffKey } from './back-off-key.ts';

export type CrashLoopAnswer =
  | { readonly kind: 'start'; readonly remember?: { readonly key: string; readonly entry: CrashLoopEntry } }
  | { readonly kind: 'wait'; readonly untilMs: number; readonly waiting: WaitingReason };

export interface CrashLoopFacts {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly crashLoops: { get(key: string): CrashLoopEntry | undefined };
  readonly crashLoopPolicy: BackOffPolicy;
  readonly nowMs: number;
  /** Older entries were left by a previous run of the agent. */
  readonly agentStartedAtMs?: number;
}

/**
 * Asked before every start. The newest instance that exited counts, also when
 * a newer one still runs and is stopped for the restart: a container that
 * fails its probes repeatedly loops like one that crashes.
 */
export function decideCrashLoop(facts: CrashLoopFacts, container: Container): CrashLoopAnswer {
  const ended = facts.observed.containers.find(
    ({ name, state }) => name === container.name && state === 'exited',
  );
  if (ended === undefined) return { kind: 'start' };
  const key = computeBackOffKey(facts.pod, container);
  const entry = facts.crashLoops.get(key);
  const endedAtMs = computeEndMs(ended, entry, facts.nowMs);
  const after = ended.id;
  if (entry !== undefined && isOutstanding(facts, ended, endedAtMs, entry))
    return { kind: 'start', remember: { key, entry: { ...entry, updatedAtMs: facts.nowMs, after } } };
  const untilMs = backOffUntil(facts.crashLoopPolicy, entry, endedAtMs, facts.nowMs);
  if (untilMs === undefined) {
    const advanced = advanceBackOff(facts.crashLoopPolicy, entry, endedAtMs, facts.nowMs);
    return { kind: 'start', remember: { key, entry: { ...advanced, after } } };
  }
  const delay = renderGoDuration(entry?.delayMs ?? 0);
  const message = `back-off ${delay} restarting failed container=${container.name} pod=${describePod(facts.pod)}`;
  return { kind: 'wait', untilMs, waiting: { reason: 'CrashLoopBackOff', message } };
}

/**
 * When the instance ended. Where the machine's clock was set back, the runtime's times lie long before ours, and a
 * back-off counted from them would be over at once. What was not over when we allowed a start has ended after that, and
 * ran for as long as the runtime says. An entry from the future, of an earlier run of the agent, says nothing.
 */
function computeEndMs(
  { id, details, createdAtMs }: ObservedContainer,
  entry: CrashLoopEntry | undefined,
  nowMs: number,
): number {
  const { finishedAtMs = createdAtMs, startedAtMs = finishedAtMs } = details ?? {};
  if (entry?.after === undefined || entry.after === id || entry.updatedAtMs > nowMs) return finishedAtMs;
  if (finishedAtMs > entry.updatedAtMs - CLOCK_SKEW_MS) return finishedAtMs;
  return entry.updatedAtMs + Math.max(0, finishedAtMs - startedAtMs);
}

/**
 * True when a previous run of the agent had allowed the start after this same
 * end and died before it was performed: the back-off has passed already and
 * must not be repeated or extended.
 */
function isOutstanding(
  { observed, agentStartedAtMs = Number.NEGATIVE_INFINITY }: CrashLoopFacts,
  ended: ObservedContainer,
  endedAtMs: number,
  { updatedAtMs }: CrashLoopEntry,
): boolean {
  const newest = newestInstance(observed, ended.name);
  const hasCome = newest !== ended && newest?.state !== 'created';
  return !hasCome && updatedAtMs >= endedAtMs && updatedAtMs < agentStartedAtMs;
}
