/**
 * Answers to words that people try with a kubelet because kubectl has them. A kubelet has no API to write to:
 * its pods are the manifests in its directory, and the answer names it.
 */
import type { AboutNode } from '../../server/local-server.ts';
import type { AdviceVerb } from '../config/cli/find-verb.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readPod } from './cli-pod.ts';

export async function renderAdvice(
  verb: Exclude<AdviceVerb, 'help' | 'version'>,
  words: readonly string[],
  context: Pick<CliContext, 'client' | 'asked' | 'host'>,
): Promise<string> {
  const { manifests } = await context.client.getJson<AboutNode>('/about');
  if (manifests === '')
    return 'this kubelet has no manifest directory (staticPodPath): its pods are those of the API server, use kubectl';
  const directory = manifests.replace(/\/*$/, '/');
  if (verb === 'delete' || verb === 'edit') return adviseChange(verb, words, directory, context);
  const file = words.find((word) => /\.(ya?ml|json)$/.test(word)) ?? 'FILE';
  return `a kubelet runs what lies in its manifest directory: drop the file there, and it starts at once\n  cp ${file} ${directory}`;
}

async function adviseChange(
  verb: 'delete' | 'edit',
  words: readonly string[],
  directory: string,
  context: Pick<CliContext, 'client' | 'asked' | 'host'>,
): Promise<string> {
  const named = words.filter((word) => !['pod', 'pods', 'po'].includes(word) && !word.startsWith('-'));
  const what = named[0]?.replace(/^pods?\//, '');
  const pod =
    what === undefined
      ? undefined
      : await readPod({ ...context, asked: { ...context.asked, words: [what] } });
  const name = pod === undefined ? 'a static pod' : `pod ${JSON.stringify(pod.metadata.name)}`;
  const source = pod?.metadata.annotations?.['kubernetes.io/config.source'] ?? 'file';
  if (source === 'api') return `${name} belongs to the API server: use kubectl ${verb}`;
  return verb === 'delete'
    ? `${name} is there as long as its manifest is: remove the file, or its document, from ${directory}`
    : `${name} follows its manifest: edit the file in ${directory}, and the pod is replaced at once`;
}
