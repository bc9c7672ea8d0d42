/** Pods that run once and leave what they saw in their termination messages. */
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import { containerStatus, type TestNode } from './node.ts';
import { container } from './sample-pods.ts';

const END_DEADLINE_MS = 60_000;

/** A container that writes the output of a script into its termination message. */
export function reportingContainer(
  name: string,
  script: string,
  more: Readonly<Record<string, unknown>> = {},
): object {
  return container(name, ['sh', '-c', `(${script}) >/dev/termination-log 2>&1`], more);
}

export async function waitEnded(node: TestNode, name: string): Promise<ListedPod> {
  return node.waitFor(
    `pod "${name}" to end`,
    async () => {
      const pod = await node.pod(name);
      return pod?.status.phase === 'Succeeded' || pod?.status.phase === 'Failed' ? pod : undefined;
    },
    END_DEADLINE_MS,
  );
}

export function lastWords(pod: ListedPod, name = 'main'): string {
  return containerStatus(pod, name).state.terminated?.message?.trim() ?? '';
}
