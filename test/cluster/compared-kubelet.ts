/** What every comparison with the upstream kubelet needs: the program, a clean runtime. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type CriConnection, connectCri } from '../../src/adapters/cri/connect-cri.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { silentLogger } from '../fakes/text-logger.ts';
import { containerdEndpoint, HOST_DIR } from '../integration/node.ts';

const GONE_MS = 120_000;

/** The upstream kubelet of the tests. Rejects when it was not built. */
export async function findUpstream(): Promise<string> {
  const bin = join(HOST_DIR, 'bin');
  const [found] = (await readdir(bin)).filter((name) => name.startsWith('kubernetes-')).toSorted();
  if (found === undefined) throw new Error('no upstream kubelet: run "make upstream-kubelet"');
  return join(bin, found, 'kubelet');
}

/** Runs `work` on the private containerd of the tests. */
export async function withRuntime(work: (cri: CriConnection) => Promise<void>): Promise<void> {
  const cri = connectCri({
    endpoint: containerdEndpoint(),
    requestTimeoutMs: 30_000,
    clock: new SystemClock(),
    logger: silentLogger,
  });
  try {
    await work(cri);
  } finally {
    await cri.close();
  }
}

export function untilEnded({ reader }: CriConnection): Promise<void> {
  return until('the pods to end', GONE_MS, async () => {
    const ready = (await reader.listSandboxes()).filter((sandbox) => sandbox.ready);
    return ready.length === 0 ? undefined : `${ready.length} sandboxes`;
  });
}

/** The upstream kubelet leaves dead ones to a timer. What it began to remove is the runtime's to finish. */
export function removeDead({ reader, runtime }: CriConnection): Promise<void> {
  return until('dead pods to be removed', GONE_MS, async () => {
    for (const { id } of await reader.listContainers()) await runtime.removeContainer(id).catch(() => {});
    for (const { id } of await reader.listSandboxes()) await runtime.removeSandbox(id).catch(() => {});
    const left = (await reader.listSandboxes()).length;
    return left === 0 ? undefined : `${left} sandboxes`;
  });
}

/** Polls until `missing` has nothing to say. */
export async function until(
  what: string,
  deadlineMs: number,
  missing: () => Promise<string | undefined> | string | undefined,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const left = await missing();
    if (left === undefined) return;
    if (performance.now() > end) throw new Error(`timed out waiting for ${what}: ${left}`);
    await delay(500);
  }
}
