/**
 * The ConfigMaps and Secrets of the API server, as pods of this node refer to
 * them. Reading never rejects: what goes wrong is an answer. Several callers
 * may ask for one object; the reader keeps it current while it has subscribers.
 */
import type { ObjectLookup } from '../../core/model/environment-objects.ts';
import type { ObjectReference } from '../../core/volume/volume-objects.ts';

export interface ObjectReader {
  configMap(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup>;
  secret(namespace: string, name: string, signal?: AbortSignal): Promise<ObjectLookup>;
  /** Calls `onChange` after every change of the object, its creation and removal included; dispose to stop. */
  subscribe(reference: ObjectReference, onChange: () => void): Disposable;
}
