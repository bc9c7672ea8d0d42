/**
 * Documents of manifests that the node does not run, one entry for each, with all that is wrong with it. Made of
 * problems, which are one per field.
 */
import type { ManifestProblem, ManifestSubject } from './manifest-problem.ts';

export interface Rejection {
  /** Absent where the document does not say what it is. */
  readonly subject?: ManifestSubject | undefined;
  readonly file: string;
  readonly line?: number | undefined;
  /** `field: what is wrong; field: …`. */
  readonly why: string;
}

/** In the order of the problems. */
export function toRejections(problems: readonly ManifestProblem[]): Rejection[] {
  const groups = Map.groupBy(problems, ({ file, subject, line }) =>
    JSON.stringify(subject === undefined ? [file, line] : [file, subject]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { subject, file, line } = first;
    const words = group.map(({ path, message }) => [path, message].filter((text) => text !== '').join(': '));
    return [{ subject, file, line, why: words.join('; ') }];
  });
}
