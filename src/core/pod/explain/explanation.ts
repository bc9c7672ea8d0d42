/**
 * What an explanation of a pod is made of, and how it becomes one sentence.
 * The parts are what clients read as data; the sentence is for people.
 */
import { renderHumanDuration } from '../../../base/text/human-duration.ts';

export type ExplanationState =
  /** Ready: nothing is waited for. */
  | 'ready'
  /** A step is under way. */
  | 'working'
  | 'waiting'
  /** To end, and something of it is left. */
  | 'ending'
  /** At its end; it is not started again. */
  | 'ended'
  | 'rejected';

/** The parts; times are milliseconds since the epoch. */
export interface ExplanationParts {
  readonly state: ExplanationState;
  /** What must happen, as the object of "waiting for". */
  readonly waitsFor?: string;
  readonly sinceMs?: number;
  /** What was tried, or what is known about why it has not happened. */
  readonly tried?: string;
  readonly nextTryAtMs?: number;
  /** What happens at that time; default: a retry. */
  readonly nextStep?: string;
  /** Without a time: what makes the pod go on. */
  readonly goesOn?: string;
}

export interface Explanation extends ExplanationParts {
  readonly sentence: string;
}

const VERBS: Readonly<Record<ExplanationState, string>> = {
  ready: 'Ready',
  working: 'Working on',
  waiting: 'Waiting for',
  ending: 'Ending',
  ended: 'Ended',
  rejected: 'Rejected',
};

export function toExplanation(parts: ExplanationParts, nowMs: number): Explanation {
  return { ...parts, sentence: renderSentence(parts, nowMs) };
}

/** `Waiting for <what> (for <age>): <tried>; next try in <time>.` */
function renderSentence(parts: ExplanationParts, nowMs: number): string {
  const { state, waitsFor, sinceMs, tried, nextTryAtMs, nextStep = 'next try', goesOn } = parts;
  const subject =
    waitsFor === undefined ? '' : state === 'ending' ? `, waiting for ${waitsFor}` : ` ${waitsFor}`;
  const age = sinceMs === undefined ? '' : ` (for ${renderHumanDuration(nowMs - sinceMs)})`;
  const known = tried === undefined ? '' : `: ${onOneLine(tried)}`;
  const next =
    nextTryAtMs === undefined
      ? goesOn
      : `${nextStep} in ${renderHumanDuration(Math.ceil((nextTryAtMs - nowMs) / 1000) * 1000)}`;
  return `${VERBS[state]}${subject}${age}${known}${next === undefined ? '' : `; ${next}`}.`;
}

/** `12s ago`, for what was tried. */
export function ago(atMs: number, nowMs: number): string {
  return `${renderHumanDuration(nowMs - atMs)} ago`;
}

/** `"a"`, `"a" and "b"`, `"a", "b" and "c"`. */
export function renderNames(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const last = quoted.at(-1) ?? 'nothing';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`;
}

/** Runtimes answer with several lines, and end them with a full stop of their own. */
function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(/\.$/, '');
}
