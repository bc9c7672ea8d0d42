/**
 * What is wrong with a manifest, in a form that a person can fix it from: which file, which line, which field,
 * what to do. A problem is a value: it never affects other files or other documents of the same file.
 */

/** What the document says it is; text of the file, not checked. */
export interface ManifestSubject {
  readonly kind: string;
  readonly namespace: string;
  /** Of a pod: with the name of the node. */
  readonly name: string;
}

export interface ManifestProblem {
  /** Path or URL the text came from. */
  readonly file: string;
  /** 1-based line; absent when the problem is the whole file. */
  readonly line?: number;
  /** Field such as `spec.containers[0].image`; empty when the problem is not a field. */
  readonly path: string;
  readonly message: string;
  /** Absent when the document has no name. */
  readonly subject?: ManifestSubject | undefined;
}

/** A name as long as this is none. */
const MAX_NAME = 253;

export function toSubject(kind: unknown, metadata: unknown): ManifestSubject | undefined {
  if (typeof kind !== 'string' || typeof metadata !== 'object' || metadata === null) return undefined;
  const { name, namespace } = metadata as { readonly name?: unknown; readonly namespace?: unknown };
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME || kind.length > MAX_NAME)
    return undefined;
  const isNamed = typeof namespace === 'string' && namespace !== '' && namespace.length <= MAX_NAME;
  return { kind, name, namespace: isNamed ? namespace : 'default' };
}

/** `file:line: field: message`. */
export function renderProblem(problem: ManifestProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, problem.path, problem.message].filter((part) => part !== '').join(': ');
}
