/** What manifests hold that the node does not run, among the pods: rows of `get pods`, lines of `explain`. */
import { basename } from 'node:path';
import { renderHumanDuration } from '../../base/text/human-duration.ts';
import type { ListedRejection, RejectedList } from '../../server/pods/rejected-list.ts';
import type { CliContext } from './ask/cli-context.ts';
import type { PodTableOptions } from './show/render-pods.ts';

const DEFAULT_NAMESPACE = 'default';

/** Those of the namespace that was named; with `word` only those it may mean. */
export async function readRejected(
  { client, asked }: Pick<CliContext, 'client' | 'asked'>,
  word?: string,
): Promise<readonly ListedRejection[]> {
  const { items, nodeName } = await client.getJson<RejectedList>('/rejected');
  const { namespace } = asked.options;
  return items.filter((item) => {
    const space = item.subject?.namespace ?? DEFAULT_NAMESPACE;
    if (namespace !== undefined && namespace !== space) return false;
    return word === undefined || namesOf(item, nodeName).includes(word);
  });
}

/** The words that mean it: its name, with and without the node's, and its file. */
function namesOf({ subject, file }: ListedRejection, nodeName: string): string[] {
  const own = [file, basename(file)];
  if (subject === undefined) return own;
  const { kind, name, namespace } = subject;
  const names = [name, ...(name.endsWith(`-${nodeName}`) ? [name.slice(0, -nodeName.length - 1)] : [])];
  const all = kind === 'Pod' ? names : names.map((one) => `${kind.toLowerCase()}/${one}`);
  return [...own, ...all, ...all.map((one) => `${namespace}/${one}`)];
}

/** One row among those of pods. */
export function toRejectedCells(
  rejection: ListedRejection,
  { wide, withNamespace, nowMs }: PodTableOptions,
): string[] {
  const { subject, since } = rejection;
  return [
    ...(withNamespace ? [subject?.namespace ?? '<none>'] : []),
    ...[nameOf(rejection), '-', `Rejected (${basename(placeOf(rejection))})`, '-'],
    renderHumanDuration(nowMs - Date.parse(since)),
    ...(wide ? ['<none>', '<none>', `a manifest that can be used: ${rejection.why}`] : []),
  ];
}

/** `default/web-n1: Rejected (for 5s): spec.…: unknown field; /etc/…/web.yaml:7.` */
export function renderRejection(rejection: ListedRejection, nowMs: number): string {
  const { subject, since, why } = rejection;
  const name = subject === undefined ? nameOf(rejection) : `${subject.namespace}/${nameOf(rejection)}`;
  const age = renderHumanDuration(nowMs - Date.parse(since));
  return `${name}: Rejected (for ${age}): ${placeOf(rejection)}: ${why}`;
}

function nameOf({ subject, file }: ListedRejection): string {
  if (subject === undefined) return basename(file);
  return subject.kind === 'Pod' ? subject.name : `${subject.kind.toLowerCase()}/${subject.name}`;
}

function placeOf({ file, line }: ListedRejection): string {
  return line === undefined ? file : `${file}:${line}`;
}
