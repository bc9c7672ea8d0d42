/**
 * What the reconciler remembers of one pod's volumes, and the turns its work
 * on them takes: a set-up, a refresh and a removal never overlap. All of it
 * may be lost; it is rebuilt from the disk and the mount table.
 */
import type { BackOffEntry } from '../../base/async/back-off.ts';
import { type Clock, startTimerAt } from '../../base/async/clock.ts';
import { Mutex } from '../../base/async/mutex.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PreparedBlockVolume } from '../../core/spec/devices.ts';
import type { PreparedVolume } from '../../core/spec/mounts.ts';
import type { VolumeGauge } from '../../ports/storage/volume-driver.ts';

/** One volume that is set up. It has either a place to mount or a device. */
export interface VolumeState {
  readonly mount?: PreparedVolume;
  readonly device?: PreparedBlockVolume;
  /** What set it up, with the driver behind CSI. */
  readonly plugin: string;
  /** Its name on disk: that of the persistent volume behind it, else its own. */
  readonly innerName: string;
  /** The group that a persistent volume is open to. */
  readonly group: number | undefined;
  /** Measures how full it is. */
  readonly gauge: VolumeGauge | undefined;
  /** It may change while it is mounted. */
  readonly mayChange: boolean;
}

export class PodVolumes {
  /** The pod as it is wanted now. */
  pod: Pod;
  /** By the name the pod has for it; only what is set up. */
  readonly volumes = new Map<string, VolumeState>();
  /** Keys of persistent volumes that this pod has, or may have. */
  readonly uses = new Set<string>();
  /** Something may be on the node. */
  held = true;
  /** When an object they show last changed. */
  changedAtMs: number | undefined;
  backOff: BackOffEntry | undefined;
  /** Ends work under way when the volumes go. */
  work = new AbortController();
  /** By object. */
  readonly subscriptions = new Map<string, Disposable>();
  /** The next refresh that is due by time. */
  timer: Disposable | undefined;
  timerAtMs: number | undefined;
  /** Volumes to bring up to date, by name; one that is being set up may be among them. */
  readonly stale = new Set<string>();
  /** A refresh waits for its turn: one more would see the same. */
  refreshWaits = false;
  readonly #mutex = new Mutex();

  constructor(pod: Pod) {
    this.pod = pod;
  }

  /** The volume is set up. */
  has(name: string): boolean {
    return this.volumes.has(name);
  }

  /** Of the volumes that have it, what `pick` takes from each; by name, in the order of their set-up. */
  pick<T>(pick: (volume: VolumeState) => T | undefined): ReadonlyMap<string, T> {
    const picked = new Map<string, T>();
    for (const [name, volume] of this.volumes) {
      const one = pick(volume);
      if (one !== undefined) picked.set(name, one);
    }
    return picked;
  }

  /** Runs `work` after all that was asked for before; failures are the caller's. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /** Calls `refresh` at that time. One timer per pod: the earliest time counts, the refresh sets the next. */
  refreshAt(clock: Clock, atMs: number, refresh: () => void): void {
    if (this.work.signal.aborted || (this.timerAtMs ?? Number.POSITIVE_INFINITY) <= atMs) return;
    this.timer?.[Symbol.dispose]();
    this.timerAtMs = atMs;
    this.timer = startTimerAt(clock, atMs, () => {
      this.timer = undefined;
      this.timerAtMs = undefined;
      refresh();
    });
  }

  /** Drops the subscriptions; nothing is due any more. */
  quiet(): void {
    for (const subscription of this.subscriptions.values()) subscription[Symbol.dispose]();
    this.subscriptions.clear();
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    this.timerAtMs = undefined;
  }
}
