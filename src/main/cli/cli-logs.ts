/** `logs`: of one container, or of all containers of a pod with each line marked. */
import { once } from 'node:events';
import { allContainersOf } from '../../core/model/pod-containers.ts';
import type { CliPod } from './ask/choose-pod.ts';
import type { CliContext } from './ask/cli-context.ts';
import { chooseContainer, readPod, toPath } from './cli-pod.ts';
import { printText } from './show/print-text.ts';

export async function printLogs(context: CliContext): Promise<number> {
  const { options } = context.asked;
  const pod = await readPod(context);
  if (!options.allContainers) {
    const { name, note } = chooseContainer(pod, options.container);
    if (note !== undefined) printText(context.host.stderr, `${note}\n`);
    await printContainer(context, pod, name);
    return 0;
  }
  const names = allContainersOf(pod).map(({ name }) => name);
  const failures = options.follow
    ? await Promise.all(names.map((name) => tryContainer(context, pod, name)))
    : await inTurn(names, (name) => tryContainer(context, pod, name));
  return failures.every((failed) => failed) ? 1 : 0;
}

/** A container that has not started yet has no log; the others are printed all the same. */
async function tryContainer(context: CliContext, pod: CliPod, name: string): Promise<boolean> {
  try {
    await printContainer(context, pod, name);
    return false;
  } catch (error) {
    printText(context.host.stderr, `error: ${name}: ${error instanceof Error ? error.message : error}\n`);
    return true;
  }
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function printContainer({ client, asked, host }: CliContext, pod: CliPod, name: string): Promise<void> {
  const { options } = asked;
  const { namespace, name: podName, uid } = pod.metadata;
  const query = new URLSearchParams({
    uid,
    ...(options.follow ? { follow: 'true' } : {}),
    ...(options.previous ? { previous: 'true' } : {}),
    ...(options.timestamps ? { timestamps: 'true' } : {}),
    ...(options.tailLines === undefined ? {} : { tailLines: String(options.tailLines) }),
    ...(options.sinceSeconds === undefined ? {} : { sinceSeconds: String(options.sinceSeconds) }),
  });
  const mark = options.prefix ? Buffer.from(`[pod/${podName}/${name}] `) : undefined;
  const path = toPath('containerLogs', namespace, podName, name);
  const chunks = client.stream(`${path}?${query}`, host.signal);
  for await (const chunk of mark === undefined ? chunks : markLines(chunks, mark))
    if (!host.stdout.write(chunk)) await once(host.stdout, 'drain');
}

const NEWLINE = 0x0a;
const LINE_END = Buffer.from('\n');
/** A longer line is broken: a container may never end one. */
const MAX_LINE_BYTES = 1024 * 1024;

/** Whole lines only: the lines of two containers do not mix. */
async function* markLines(chunks: AsyncIterable<Buffer>, mark: Buffer): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      lines.push(mark, rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MAX_LINE_BYTES) lines.push(mark, rest.subarray(), LINE_END);
    if (rest.length > MAX_LINE_BYTES) rest = Buffer.alloc(0);
    if (lines.length > 0) yield Buffer.concat(lines);
  }
  if (rest.length > 0) yield Buffer.concat([mark, rest, LINE_END]);
}
