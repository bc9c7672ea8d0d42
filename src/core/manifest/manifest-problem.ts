/**
 * What is wrong with a manifest, in a form that a person can fix it from: which file, which line, which field,
 * what to do. A problem is a value: it never affects other files or other documents of the same file.
 */

export interface ManifestProblem {
  /** Path or URL the text came from. */
  readonly file: string;
  /** 1-based line; absent when the problem is the whole file. */
  readonly line?: number;
  /** Field such as `spec.containers[0].image`; empty when the problem is not a field. */
  readonly path: string;
  readonly message: string;
}

/** `file:line: field: message`. */
export function renderProblem(problem: ManifestProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, problem.path, problem.message].filter((part) => part !== '').join(': ');
}
