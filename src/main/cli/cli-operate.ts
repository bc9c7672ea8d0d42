/** `restart` and `retry`: the only sub-commands that change what a pod does. */
import { escapeLine } from '../../base/text/terminal-text.ts';
import type { OperatedPod } from '../../server/pods/operate-routes.ts';
import type { CliPod } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { readPod, toPath } from './cli-pod.ts';
import { printText } from './show/print-text.ts';

export async function restartPod(context: CliContext): Promise<number> {
  const { asked } = context;
  const pod = await readPod(context);
  const container = asked.words[1] ?? asked.options.container;
  const { subjects } = await operate(context, 'restart', pod, container);
  const many = subjects.length === 1 ? 'container' : 'containers';
  print(context, pod, `restarting ${many} ${subjects.join(', ')}`);
  return 0;
}

export async function retryPod(context: CliContext): Promise<number> {
  const pod = await readPod(context);
  const { subjects } = await operate(context, 'retry', pod, undefined);
  print(
    context,
    pod,
    subjects.length === 0 ? 'nothing waits for a retry' : `retrying ${subjects.join(', ')} now`,
  );
  return 0;
}

function operate(
  { client }: CliContext,
  action: 'restart' | 'retry',
  { metadata: { namespace, name, uid } }: CliPod,
  container: string | undefined,
): Promise<OperatedPod> {
  const path = toPath(action, namespace, name, ...(container === undefined ? [] : [container]));
  return client.postJson<OperatedPod>(`${path}?uid=${encodeURIComponent(uid)}`);
}

function print({ host }: CliContext, { metadata }: CliPod, text: string): void {
  printText(host.stdout, `pod/${escapeLine(`${metadata.name}: ${text}`)}\n`);
}
