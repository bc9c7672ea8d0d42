/** `explain`: what a pod waits for; without a name what is wrong on the node, rejected manifests first. */
import { escapeLine } from '../../base/text/terminal-text.ts';
import type { PodExplanation } from '../../server/pods/explain-route.ts';
import { type CliPod, choosePod } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { explainEviction } from './cli-eviction.ts';
import { readPod, readPods, toPath } from './cli-pod.ts';
import { readRejected, renderRejection } from './cli-rejected.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';

/** One pod, or every pod that is not ready. */
export async function explainPods(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const { output } = asked.options;
  if (asked.options.eviction) return explainEviction(context);
  const refusals = await readRejected(context, asked.words[0]);
  const rejected = refusals.map((item) => `${escapeLine(renderRejection(item, host.now()))}\n`);
  if (asked.words.length > 0) {
    if (rejected.length > 0 && !isDocument(output)) printPainted(host, rejected.join(''), 'sentences');
    if (rejected.length > 0 && !(await hasPod(context))) return 0;
    const explained = await readExplanation(context, await readPod(context));
    if (isDocument(output)) printText(host.stdout, await renderDocument(explained, output));
    else printPainted(host, `${explained.sentence}\n`, 'sentences');
    return 0;
  }
  const { items } = await client.getJson<{ items: PodExplanation[] }>('/explain');
  const { namespace } = asked.options;
  const wanted = items.filter((item) => namespace === undefined || item.namespace === namespace);
  if (isDocument(output)) {
    printText(host.stdout, await renderDocument({ items: wanted, rejected: refusals }, output));
    return 0;
  }
  // A ready pod has something to explain when something was tried that failed.
  const open = wanted.filter(
    (item) => (item.state !== 'ready' || item.tried !== undefined) && !hasCompleted(item),
  );
  const lines = open.map(
    ({ namespace: space, name, sentence }) => `${escapeLine(`${space}/${name}: ${sentence}`)}\n`,
  );
  printPainted(host, [...rejected, ...lines].join('') || renderAllGood(wanted), 'sentences');
  return 0;
}

/** It did what it was for: there is nothing to explain, unless it is asked for by name. */
function hasCompleted({ state, waitsFor }: Pick<PodExplanation, 'state' | 'waitsFor'>): boolean {
  return state === 'ended' && waitsFor === 'as Succeeded';
}

function renderAllGood(pods: readonly PodExplanation[]): string {
  const done = pods.filter(hasCompleted).length;
  const ready = pods.length - done;
  const completed = done === 0 ? '' : ` ${done} ${done === 1 ? 'has' : 'have'} completed.`;
  if (ready === 0) return done === 0 ? 'There are no pods.\n' : `${completed.trim()}\n`;
  return `${ready === 1 ? 'The only pod is ready' : `All ${ready} pods are ready`}.${completed}\n`;
}

async function hasPod(context: CliContext): Promise<boolean> {
  const { words, options } = context.asked;
  return 'pod' in choosePod(await readPods(context), words[0] ?? '', options.namespace);
}

export function readExplanation({ client }: CliContext, { metadata }: CliPod): Promise<PodExplanation> {
  return client.getJson<PodExplanation>(
    `${toPath('explain', metadata.namespace, metadata.name)}?uid=${encodeURIComponent(metadata.uid)}`,
  );
}
