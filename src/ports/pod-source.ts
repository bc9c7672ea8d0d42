/**
 * Where desired pods come from. A source always delivers its complete current
 * set; the receiver works out what changed. The first delivery, even an empty
 * one, says that the source has been seen.
 */
import type { Pod } from '../core/api/pod.ts';

export type PodSourceName = 'file' | 'http' | 'api';

export interface PodSource {
  readonly name: PodSourceName;
  /** Delivers until `stop` aborts. Resolves then; rejects only on a bug. */
  run(stop: AbortSignal, deliver: (pods: readonly Pod[]) => void): Promise<void>;
}
