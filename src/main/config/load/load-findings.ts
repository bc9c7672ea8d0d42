/**
 * What loading the configuration found: problems that refuse it and notices that do not.
 * One list is passed through all loading steps, so that a refusal names everything at once.
 * Invariant: the exit code is that of the first problem, the one an ordinary kubelet would have died of.
 */

/** A message for the operator that does not stop the start. */
export interface ConfigurationNotice {
  readonly kind:
    | 'deprecated-flag'
    | 'feature-gate'
    | 'lenient-file'
    | 'not-honoured'
    | 'ignored-value'
    | 'skipped-file';
  readonly message: string;
  /** Log verbosity at which it is shown; 0 is always. */
  readonly verbosity: number;
}

/** 1: refused. 2: what makes the upstream program crash while it applies defaults (a bad gate in a file). */
export type FailureExitCode = 1 | 2;

export class LoadFindings {
  readonly #problems = new Set<string>();
  readonly #notices: ConfigurationNotice[] = [];
  #exitCode: FailureExitCode = 1;

  /** Adds a problem; the same text is kept once. */
  refuse(message: string, exitCode: FailureExitCode = 1): void {
    if (this.#problems.size === 0) this.#exitCode = exitCode;
    this.#problems.add(message);
  }

  notice(kind: ConfigurationNotice['kind'], message: string, verbosity = 0): void {
    this.#notices.push({ kind, message, verbosity });
  }

  get refused(): boolean {
    return this.#problems.size > 0;
  }

  get problems(): readonly string[] {
    return [...this.#problems];
  }

  get notices(): readonly ConfigurationNotice[] {
    return this.#notices;
  }

  get exitCode(): FailureExitCode {
    return this.#exitCode;
  }
}
