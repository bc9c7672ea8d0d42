/** What a terminating pod still waits for, and the summary of an ended one. */
import type { Action, ContainerStop } from '../../model/actions.ts';
import { hasRunning } from '../../model/observed-pod.ts';
import { removesContent, type Termination, type TerminationCause } from '../../model/termination.ts';
import type { ExplainFacts } from './explain-facts.ts';
import { ago, type ExplanationParts, renderNames } from './explanation.ts';
import { renderShortage } from './render-shortage.ts';

const CAUSES: Readonly<Record<TerminationCause, string>> = {
  completed: 'its containers have run to their end',
  deadline: 'its active deadline has passed',
  rejected: 'the node does not take it',
  preempted: 'a critical pod needs its place',
  shutdown: 'the node shuts down',
  evicted: 'the node is short of resources',
  deleted: 'it was deleted',
  removed: 'its source no longer has it',
  orphaned: 'only the container runtime knows it',
};

/** Undefined for a pod that is to run. */
export function explainEnd(facts: ExplainFacts): ExplanationParts | undefined {
  const { termination, last } = facts;
  if (termination === undefined) return undefined;
  const since = { sinceMs: termination.requestedAtMs };
  const mayRun = last === undefined ? facts.status !== undefined : hasRunning(last.facts.observed);
  const isRejected = termination.cause === 'rejected';
  if (isRejected && !mayRun) return { ...toRejection(facts, termination), ...since };
  if (!mayRun && !removesContent(termination.cause)) return { ...toEnded(facts), ...since };
  const because = `because ${CAUSES[termination.cause]}`;
  return { state: 'ending', ...since, ...toWait(facts, because) };
}

function toRejection({ status }: ExplainFacts, { verdict }: Termination): ExplanationParts {
  const reason = verdict?.reason ?? status?.reason;
  const message = verdict?.message ?? status?.message ?? CAUSES.rejected;
  const words = verdict?.note ?? renderShortage(message) ?? message;
  const tried = reason === undefined ? words : `${reason}: ${words}`;
  return { state: 'rejected', tried, goesOn: 'it is not tried again' };
}

function toEnded({ status, termination }: ExplainFacts): ExplanationParts {
  const { phase = 'Unknown', reason, message } = status ?? {};
  const failed = status?.containerStatuses?.find(({ state }) => (state.terminated?.exitCode ?? 0) !== 0);
  const code = failed?.state.terminated?.exitCode;
  const exit = code === undefined ? undefined : `container "${failed?.name}" ended with exit code ${code}`;
  const verdict = termination?.verdict;
  const why = [reason ?? verdict?.reason, message ?? verdict?.message].filter(
    (text) => text !== undefined && text !== '',
  );
  const tried = why.length > 0 ? why.join(': ') : (exit ?? CAUSES[termination?.cause ?? 'completed']);
  return { state: 'ended', waitsFor: `as ${phase}`, tried, goesOn: 'it is not started again' };
}

function toWait(facts: ExplainFacts, because: string): Omit<ExplanationParts, 'state'> {
  const { last, activity, nowMs, setback } = facts;
  const failure = last?.facts.podFailure;
  if (last?.plan.podWaitsFor !== undefined && failure !== undefined) {
    const tried = `${because}; ${failure.step} failed ${ago(failure.failedAtMs, nowMs)}: ${failure.message}`;
    return { waitsFor: 'the next try to end it', tried, nextTryAtMs: failure.retryAtMs };
  }
  const stops =
    stopsOf(activity?.action) ?? last?.plan.actions.map(stopsOf).find((found) => found !== undefined);
  if (stops !== undefined) {
    const waitsFor = `${stops.length === 1 ? 'container' : 'containers'} ${renderNames(stops.map(({ name }) => name))} to stop`;
    if (activity?.action?.kind !== 'stop-containers') return { waitsFor, tried: because };
    const graceMs = Math.max(...stops.map(({ graceSeconds }) => graceSeconds)) * 1000;
    return { waitsFor, tried: because, nextTryAtMs: activity.sinceMs + graceMs, nextStep: 'killed' };
  }
  if (setback !== undefined) {
    const tried = `${because}; the last look at the pod failed ${ago(setback.atMs, nowMs)}: ${setback.message}`;
    return { waitsFor: 'the container runtime', tried, nextTryAtMs: setback.retryAtMs };
  }
  const step = activity === undefined ? 'what is left of it to go' : `the step "${activity.step}"`;
  return { waitsFor: step, tried: because };
}

function stopsOf(action: Action | undefined): readonly ContainerStop[] | undefined {
  return action?.kind === 'stop-containers' ? action.stops : undefined;
}
