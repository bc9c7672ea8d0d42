/**
 * Which pod a word on the command line means. A name that fits exactly in the
 * namespace wins; then the name of a static pod without the node's; then,
 * where no namespace was named, the only pod of the node it fits; then a UID.
 * Of two pods with one name, as after an edit of a manifest, it is the one
 * that is not being deleted; the other one has its UID.
 */
import type { Pod } from '../../../core/api/pod.ts';
import { CONFIG_SOURCE_ANNOTATION } from '../../../core/api/pod-identity.ts';
import { renderGuess } from '../../../core/manifest/field/suggest-name.ts';

export type CliPod = Pick<Pod, 'metadata' | 'spec' | 'status'>;

export type PodChoice = { readonly pod: CliPod } | { readonly problem: string };

export const DEFAULT_NAMESPACE = 'default';

export function choosePod(
  pods: readonly CliPod[],
  reference: string,
  namespace: string | undefined,
): PodChoice {
  const slash = reference.indexOf('/');
  const named = slash === -1 ? namespace : reference.slice(0, slash);
  const name = reference.slice(slash + 1);
  const inside = pods.filter(({ metadata }) => metadata.namespace === (named ?? DEFAULT_NAMESPACE));
  const fits = [
    inside.filter(({ metadata }) => metadata.name === name),
    inside.filter((pod) => isShortName(pod, name)),
    ...(named === undefined
      ? [pods.filter((pod) => pod.metadata.name === name || isShortName(pod, name))]
      : []),
    pods.filter(({ metadata }) => metadata.uid === reference),
  ].find((found) => found.length > 0);
  const [first, second] = withoutSuccessors(fits ?? []);
  if (first === undefined) {
    const where = named === undefined ? 'on this node' : `in namespace ${JSON.stringify(named)}`;
    const near = (named === undefined ? pods : inside).flatMap(toSubjectWords);
    return { problem: `pods ${JSON.stringify(name)} not found ${where}${renderGuess(name, near)}` };
  }
  if (second === undefined) return { pod: first };
  const names = fits?.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ');
  return {
    problem: `${JSON.stringify(name)} may be one of several pods: ${names}; name the namespace or a UID`,
  };
}

/** Of pods with the same name and namespace only the one to look at: not being deleted, else the newest. */
function withoutSuccessors(pods: readonly CliPod[]): readonly CliPod[] {
  const groups = Map.groupBy(pods, ({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return [...groups.values()].flatMap(
    (same) => same.findLast(({ metadata }) => metadata.deletionTimestamp === undefined) ?? same.slice(-1),
  );
}

function isShortName(pod: CliPod, name: string): boolean {
  return toSubjectWords(pod)[1] === name;
}

/** Its name, and that of a static pod without the node's. */
function toSubjectWords({ metadata, spec }: CliPod): [string, ...string[]] {
  const source = metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
  const isStatic = source !== undefined && source !== 'api';
  const suffix = `-${spec.nodeName}`;
  return isStatic && metadata.name.endsWith(suffix)
    ? [metadata.name, metadata.name.slice(0, -suffix.length)]
    : [metadata.name];
}
