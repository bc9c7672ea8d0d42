/**
 * What the reconciler remembers of one pod's volumes, and the turns its work
 * on them takes: a set-up, a refresh and a removal never overlap. All of it
 * may be lost; disk and mount table tell the rest.
 */
import type { BackOffEntry } from '../../base/back-off.ts';
import { Mutex } from '../../base/mutex.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PreparedBlockVolume } from '../../core/spec/devices.ts';
import type { PreparedVolume } from '../../core/spec/mounts.ts';
import type { VolumeGauge } from '../../ports/volume-driver.ts';

export class PodVolumes {
  /** The pod as it is wanted now. */
  pod: Pod;
  /** By name; only what is set up. */
  readonly prepared = new Map<string, PreparedVolume>();
  /** By name: what containers get as a device. */
  readonly blocks = new Map<string, PreparedBlockVolume>();
  /** By name: the persistent volume behind it. */
  readonly innerNames = new Map<string, string>();
  /** By name: what set it up, with the driver behind CSI. */
  readonly plugins = new Map<string, string>();
  /** By name: the group that a persistent volume is open to. */
  readonly groups = new Map<string, number>();
  /** By name: what tells how full a volume is. */
  readonly gauges = new Map<string, VolumeGauge>();
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
  /** By name: those that may change while they are mounted. */
  readonly changing = new Set<string>();
  /** Volumes to bring up to date, by name. */
  readonly stale = new Set<string>();
  /** A refresh waits for its turn: one more would see the same. */
  refreshWaits = false;
  readonly #mutex = new Mutex();

  constructor(pod: Pod) {
    this.pod = pod;
  }

  /** The volume is set up. */
  has(name: string): boolean {
    return this.prepared.has(name) || this.blocks.has(name);
  }

  /** They are about to be taken away. */
  forgetVolumes(): void {
    const { prepared, blocks, innerNames, plugins, groups, gauges, changing } = this;
    for (const known of [prepared, blocks, innerNames, plugins, groups, gauges, changing]) known.clear();
  }

  /** Runs `work` after all that was asked for before; failures are the caller's. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(work);
  }

  /** Nobody listens and nothing is due any more. */
  quiet(): void {
    for (const subscription of this.subscriptions.values()) subscription[Symbol.dispose]();
    this.subscriptions.clear();
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
    this.timerAtMs = undefined;
  }
}
