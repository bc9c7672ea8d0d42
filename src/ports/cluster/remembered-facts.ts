/**
 * What the API server last said about things that pods of this node need, in
 * a form that can be kept on disk. Holds secrets: only for the checkpoint of
 * the agent's user, never logged.
 */
import type { StringMap } from '../../core/api/meta.ts';
import type { Node } from '../../core/api/node.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import type { ObjectLookup, ServiceLike } from '../../core/model/environment-objects.ts';

/** How long to wait for the API server before a remembered value is used instead. */
export const REMEMBERED_WAIT_MS = 3_000;

/** A ConfigMap or Secret, or that there is none. */
export type RememberedObject =
  | { readonly kind: 'missing' }
  | (Omit<Extract<ObjectLookup, { readonly kind: 'found' }>, 'bytes'> & {
      /** Base64 of values that are not text. */
      readonly bytes?: StringMap;
      readonly version: string;
      readonly isImmutable: boolean;
    });

export interface RememberedToken {
  readonly podUid: string;
  /** What was asked for. */
  readonly key: string;
  readonly token: string;
  readonly expiresAtMs: number;
}

export interface RememberedFacts {
  readonly node?: Node;
  /** By kind, namespace and name. */
  readonly objects: Readonly<Record<string, RememberedObject>>;
  readonly tokens: readonly RememberedToken[];
  readonly services: readonly ServiceLike[];
  /** Handlers by the name of the class. */
  readonly runtimeClasses: StringMap;
  /** By kind, namespace and name. */
  readonly storage: Readonly<Record<string, PersistentVolumeClaim | PersistentVolume>>;
}
