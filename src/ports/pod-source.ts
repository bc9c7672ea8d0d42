/**
 * Where desired pods come from. A source always delivers its complete current
 * set; the receiver works out what changed. The first complete delivery, even
 * an empty one, marks the source as seen.
 */
import type { Pod } from '../core/api/pod.ts';
import type { PodSourceName } from '../core/model/pod-source-name.ts';

/**
 * `complete` is false while part of the source has never been readable: pods
 * of an earlier run may hide there, so nothing may be cleaned up yet.
 */
export type DeliverPods = (pods: readonly Pod[], complete?: boolean) => void;

export interface PodSource {
  readonly name: PodSourceName;
  /** Delivers until `stop` aborts. Resolves then; rejects only on a bug. */
  run(stop: AbortSignal, deliver: DeliverPods): Promise<void>;
}
