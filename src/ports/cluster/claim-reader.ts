/**
 * Claims and the volumes bound to them, one by one and fresh: a node may get
 * them when a pod of its own needs them, but may neither list nor watch them.
 * Reading never rejects: what goes wrong is an answer.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';

export type StorageLookup<T> =
  | { readonly kind: 'found'; readonly object: T }
  /** In the words of the API server. */
  | { readonly kind: 'failed'; readonly message: string };

export interface ClaimReader {
  claim(namespace: string, name: string, signal?: AbortSignal): Promise<StorageLookup<PersistentVolumeClaim>>;
  persistentVolume(name: string, signal?: AbortSignal): Promise<StorageLookup<PersistentVolume>>;
  /** Calls `onChange` when an answer may have changed, where that can be known; dispose to stop. */
  onClaimsChanged?(onChange: () => void): Disposable;
}
