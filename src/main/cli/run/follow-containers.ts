/**
 * The logs of all containers of a run, each from its first line on. An instance is followed once; one that was
 * restarted is another. Lines come whole, so that those of two containers do not mix.
 */
import type { ContainerStatus } from '../../../core/api/pod-status.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import type { LocalClient } from '../ask/local-client.ts';
import { toShortName } from './judge-run.ts';
import type { RunScreen } from './run-screen.ts';

const NEWLINE = 0x0a;
const LINE_END = Buffer.from('\n');
/** A longer line is broken: a container may never end one. */
const MAX_LINE_BYTES = 64 * 1024;

export class ContainerFollower {
  readonly #client: Pick<LocalClient, 'stream'>;
  readonly #screen: Pick<RunScreen, 'showLog'>;
  readonly #stop: AbortSignal;
  readonly #followed = new Set<string>();
  readonly #running = new Set<Promise<void>>();

  constructor(client: Pick<LocalClient, 'stream'>, screen: Pick<RunScreen, 'showLog'>, stop: AbortSignal) {
    this.#client = client;
    this.#screen = screen;
    this.#stop = stop;
  }

  /** Follows what has started since the last time. */
  update(pods: readonly CliPod[]): void {
    for (const pod of pods)
      for (const status of [
        ...(pod.status?.initContainerStatuses ?? []),
        ...(pod.status?.containerStatuses ?? []),
      ])
        this.#take(pod, status);
  }

  /** Resolves when everything that was written so far has been shown. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #take(pod: CliPod, status: ContainerStatus): void {
    const { containerID = '', state, lastState, name } = status;
    // One that came and went between two looks.
    const before = lastState.terminated?.containerID ?? '';
    if (before !== '' && before !== containerID) this.#follow(pod, name, before, true);
    if (state.running !== undefined || state.terminated !== undefined)
      this.#follow(pod, name, containerID, false);
  }

  #follow(pod: CliPod, container: string, id: string, isPrevious: boolean): void {
    if (id === '' || this.#followed.has(id)) return;
    this.#followed.add(id);
    const work = this.#copy(pod, container, isPrevious).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** A log that cannot be read, or ends with its pod, takes nothing else with it. */
  async #copy(pod: CliPod, container: string, isPrevious: boolean): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    const query = new URLSearchParams({ uid, ...(isPrevious ? { previous: 'true' } : { follow: 'true' }) });
    const path = ['containerLogs', namespace, name, container].map(encodeURIComponent).join('/');
    const label = `${toShortName(pod)}/${container}`;
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of this.#client.stream(`/${path}?${query}`, this.#stop)) {
        const { lines, left } = splitLines(Buffer.concat([rest, chunk]));
        rest = left;
        if (lines.length > 0) await this.#screen.showLog(label, lines);
      }
    } catch {
      // Its pod has gone, or it has no log.
    }
    if (rest.length > 0) await this.#screen.showLog(label, [Buffer.concat([rest, LINE_END])]);
  }
}

/** Whole lines, and what has no end yet. */
export function splitLines(text: Buffer): { readonly lines: readonly Buffer[]; readonly left: Buffer } {
  const lines: Buffer[] = [];
  let left = text;
  for (let end = left.indexOf(NEWLINE); end !== -1; end = left.indexOf(NEWLINE)) {
    lines.push(left.subarray(0, end + 1));
    left = left.subarray(end + 1);
  }
  if (left.length <= MAX_LINE_BYTES) return { lines, left };
  return { lines: [...lines, Buffer.concat([left, LINE_END])], left: Buffer.alloc(0) };
}
