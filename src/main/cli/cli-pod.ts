/** The pods of the node as a command asks for them, and the one it names. */
import { AgentError } from '../../base/errors.ts';
import { matchesLabels } from '../../core/api/label-selector.ts';
import type { Container } from '../../core/api/pod.ts';
import { ephemeralContainersOf, initContainersOf } from '../../core/model/pod-containers.ts';
import { type CliPod, choosePod, DEFAULT_NAMESPACE } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readRejected, renderRejection } from './cli-rejected.ts';

export async function readPods({ client }: Pick<CliContext, 'client'>): Promise<readonly CliPod[]> {
  return (await client.getJson<{ items: CliPod[] | null }>('/pods')).items ?? [];
}

/** The pods that a list is of: those of `default` where no namespace is named. */
export function toPodFilter({ asked }: Pick<CliContext, 'asked'>): (pod: CliPod) => boolean {
  const { allNamespaces, namespace = DEFAULT_NAMESPACE, selector } = asked.options;
  return ({ metadata }) =>
    (allNamespaces || metadata.namespace === namespace) &&
    (selector === undefined || matchesLabels(selector, metadata.labels ?? {}));
}

/** For a list without rows. */
export function renderNone({ asked }: Pick<CliContext, 'asked'>): string {
  const { allNamespaces, namespace = DEFAULT_NAMESPACE } = asked.options;
  return `No resources found${allNamespaces ? '' : ` in ${namespace} namespace`}.\n`;
}

/** The pod that the first word means. Rejects with AgentError when it means none. */
export async function readPod(context: CliContext): Promise<CliPod> {
  const { words, options } = context.asked;
  const choice = choosePod(await readPods(context), words[0] ?? '', options.namespace);
  if (!('problem' in choice)) return choice.pod;
  const [rejected] = await readRejected(context, words[0]);
  throw new AgentError(
    'not-found',
    rejected === undefined ? choice.problem : renderRejection(rejected, context.host.now()),
  );
}

/** The container that was named, or the first; a note where that was a choice. */
export function chooseContainer(
  { metadata, spec }: CliPod,
  named: string | undefined,
): { readonly name: string; readonly note?: string } {
  const all: readonly Container[] = [
    ...spec.containers,
    ...initContainersOf({ spec }),
    ...ephemeralContainersOf({ spec }),
  ];
  const names = all.map(({ name }) => name);
  if (named !== undefined) {
    if (names.includes(named)) return { name: named };
    const pod = JSON.stringify(metadata.name);
    throw new AgentError(
      'not-found',
      `container ${JSON.stringify(named)} not found in pod ${pod}, which has: ${names.join(', ')}`,
    );
  }
  const marked = metadata.annotations?.['kubectl.kubernetes.io/default-container'];
  const name = marked !== undefined && names.includes(marked) ? marked : (spec.containers[0]?.name ?? '');
  if (names.length === 1 || name === marked) return { name };
  return { name, note: `Defaulted container "${name}" out of: ${names.join(', ')}` };
}

/** The pod in the path of a stream: with its UID, as two pods may have one name. */
export function toPodParts({ metadata }: CliPod): [string, string, string] {
  return [metadata.namespace, metadata.name, metadata.uid];
}

/** A path with every part encoded. */
export function toPath(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
