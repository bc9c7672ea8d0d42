/**
 * Which attached volumes this node uses, and which the API server knows it
 * uses. The controller that detaches volumes leaves alone what the node's
 * status lists as in use; so a volume is only touched after the status lists
 * it, and the status lists it until nothing of it is left.
 *
 *   hold ──reported──► attached (in the node's status) ──► used ──► release
 *
 * After a start the volumes found on disk count as in use if the last report
 * said so; nothing is reported before the disk was read.
 */
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import type { PodAttachments, VolumeAttachments } from '../../ports/storage/volume-attachments.ts';
import type { OwnNode } from './own-node.ts';

/** How long an attacher may take before the pod gets an event; the wait then starts again. */
const PATIENCE_MS = 123_000;

export interface NodeVolumesParts {
  readonly own: Pick<OwnNode, 'current' | 'subscribe'>;
  readonly clock: Clock;
}

export class NodeVolumes implements VolumeAttachments, PodAttachments {
  readonly name = 'node volumes';
  readonly #parts: NodeVolumesParts;
  /** By volume: the pods that have it. */
  readonly #holders = new Map<string, Set<string>>();
  /** The same for what an earlier agent left; undefined until it was read. */
  #adopted: Map<string, Set<string>> | undefined;
  #reported: ReadonlySet<string> = new Set();
  readonly #reports = new Emitter();
  readonly #changes = new Emitter();

  constructor(parts: NodeVolumesParts) {
    this.#parts = parts;
  }

  /** Calls `listener` when another report is needed; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Something else the node reports of its volumes has changed. */
  noteChange(): void {
    this.#changes.emit();
  }

  hold(name: string, podUid: string): void {
    const holders = this.#holders.get(name) ?? new Set();
    const isNews = holders.size === 0;
    this.#holders.set(name, holders.add(podUid));
    if (isNews) this.#changes.emit();
  }

  release(name: string, podUid: string): void {
    const before = this.#holders.size + (this.#adopted?.size ?? 0);
    for (const known of [this.#holders, this.#adopted]) {
      const holders = known?.get(name);
      holders?.delete(podUid);
      if (holders?.size === 0) known?.delete(name);
    }
    if (before !== this.#holders.size + (this.#adopted?.size ?? 0)) this.#changes.emit();
  }

  podGone({ uid }: { readonly uid: string }): void {
    this.forgetPod(uid);
  }

  forgetPod(podUid: string): void {
    for (const known of [this.#holders, this.#adopted])
      for (const name of [...(known?.keys() ?? [])]) this.release(name, podUid);
  }

  /** What was found on disk at the start: pairs of volume and pod. */
  adopt(found: Iterable<readonly [name: string, podUid: string]>): void {
    this.#adopted = new Map();
    for (const [name, podUid] of found)
      this.#adopted.set(name, (this.#adopted.get(name) ?? new Set()).add(podUid));
    this.#changes.emit();
  }

  /** Undefined until the volumes of an earlier agent are known. */
  inUse(): readonly string[] | undefined {
    if (this.#adopted === undefined) return undefined;
    const before = new Set(this.#parts.own.current?.status?.volumesInUse ?? []);
    const adopted = [...this.#adopted.keys()].filter((name) => before.has(name));
    return [...new Set([...this.#holders.keys(), ...adopted])].toSorted();
  }

  /** What the API server has on record now. */
  reported(names: readonly string[]): void {
    this.#reported = new Set(names);
    this.#reports.emit();
  }

  devicePathOf(name: string): string {
    const attached = this.#parts.own.current?.status?.volumesAttached ?? [];
    return attached.find((one) => one.name === name)?.devicePath ?? '';
  }

  whenAttached(name: string, signal: AbortSignal): Promise<boolean> {
    const { own, clock } = this.#parts;
    const isThere = (): boolean =>
      this.#reported.has(name) &&
      own.current?.status?.volumesAttached?.some((one) => one.name === name) === true;
    if (isThere()) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (answer: boolean): void => {
        reports[Symbol.dispose]();
        node[Symbol.dispose]();
        timer[Symbol.dispose]();
        listening[Symbol.dispose]();
        resolve(answer);
      };
      const look = (): void => {
        if (isThere()) end(true);
      };
      const giveUp = (): void => end(false);
      const node = own.subscribe(look);
      const reports = this.#reports.subscribe(look);
      const timer = clock.startTimer(PATIENCE_MS, giveUp);
      const listening = onAbort(signal, giveUp);
    });
  }
}
