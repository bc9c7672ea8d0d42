/**
 * Where desired pods come from. A source always delivers its complete current
 * set; the receiver works out what changed, unless the source says it. The
 * first complete delivery, even an empty one, marks the source as seen.
 */
import type { Pod } from '../core/api/pod.ts';
import type { PodSourceName } from '../core/model/pod-source-name.ts';

/** How a set of pods differs from the one that the source delivered before it. */
export interface PodChanges {
  /** New ones, and new versions of those there were. */
  readonly changed: readonly Pod[];
  /** As they were delivered last. */
  readonly gone: readonly Pod[];
}

/**
 * `complete` is false while part of the source has never been readable: pods
 * of an earlier run may hide there, so nothing may be cleaned up yet. With
 * `changes` the receiver looks at no others; they come from a source that has
 * one pod for each name, and never with its first delivery.
 */
export type DeliverPods = (pods: readonly Pod[], complete?: boolean, changes?: PodChanges) => void;

export interface PodSource {
  readonly name: PodSourceName;
  /** Delivers until `stop` aborts. Resolves then; rejects only on a bug. */
  run(stop: AbortSignal, deliver: DeliverPods): Promise<void>;
}
