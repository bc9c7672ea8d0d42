/** What `kubelet doctor` has found about one thing of the machine, and how to mend it. */

/** A problem keeps a kubelet or its pods from working; a warning costs something. */
export type Verdict = 'ok' | 'warning' | 'problem';

export interface Finding {
  /** One or two words: what was looked at. */
  readonly subject: string;
  readonly verdict: Verdict;
  readonly what: string;
  /** What to do about it; absent where nothing is wrong. */
  readonly mend?: string;
}

export function ok(subject: string, what: string): Finding {
  return { subject, verdict: 'ok', what };
}

export function warning(subject: string, what: string, mend: string): Finding {
  return { subject, verdict: 'warning', what, mend };
}

export function problem(subject: string, what: string, mend: string): Finding {
  return { subject, verdict: 'problem', what, mend };
}
