/**
 * `validate -f FILE`: what the kubelet would say to a manifest, without one. For editors and CI: exit code 0 when
 * every document may run, 1 when not, with `file:line: field: message` for each problem.
 */
import { readManifest } from '../../adapters/linux/manifest/list-manifests.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import { describeLocalObject } from '../../core/manifest/local-object.ts';
import { renderProblem } from '../../core/manifest/manifest-problem.ts';
import { readStaticPods } from '../../core/manifest/static-pod.ts';
import type { CliHost } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';

/** Any will do: its name is no part of what is checked. */
const NODE_NAME = 'node';

export async function validateFiles(
  files: readonly string[],
  { stdout, stderr }: Pick<CliHost, 'stdout' | 'stderr'>,
): Promise<number> {
  let isGood = true;
  for (const file of files) {
    const content = await readManifest(file);
    const {
      pods,
      objects = [],
      problems,
    } = 'text' in content
      ? readStaticPods(content.text, file, NODE_NAME, {
          isStandalone: true,
          secretProblem: content.secretProblem,
        })
      : { pods: [], problems: [{ file, path: '', message: content.error }] };
    const good = [
      ...pods.map((pod) => `Pod ${podRef(pod).replace(/-node$/, '')}`),
      ...objects.map(describeLocalObject),
    ];
    for (const what of good) printText(stdout, `${file}: ${what} is valid\n`);
    for (const problem of problems) printText(stderr, `${renderProblem(problem)}\n`);
    isGood &&= problems.length === 0;
  }
  return isGood ? 0 : 1;
}
