/** `tree [POD]`: pods with sandboxes, containers, mounts, cgroups and processes. */
import type { CliPod } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readPod, readPods } from './cli-pod.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { comparePods } from './show/render-pods.ts';
import { renderTree, toPodTree } from './show/render-tree.ts';

export async function showTree(context: CliContext): Promise<number> {
  const { asked, host } = context;
  const { output, namespace } = asked.options;
  const isWanted = ({ metadata }: CliPod): boolean =>
    namespace === undefined || metadata.namespace === namespace;
  const pods =
    asked.words.length > 0
      ? [await readPod(context)]
      : (await readPods(context)).filter(isWanted).toSorted(comparePods);
  const processes = await host.listProcesses();
  const trees = pods.map((pod) => toPodTree(pod, processes));
  if (isDocument(output)) printText(host.stdout, await renderDocument({ items: trees }, output));
  else if (trees.length === 0) printText(host.stderr, 'No resources found.\n');
  else printPainted(host, trees.map((tree) => renderTree(tree)).join(''), 'tree');
  return 0;
}
