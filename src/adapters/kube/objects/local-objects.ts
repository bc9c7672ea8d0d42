/**
 * ConfigMaps, Secrets, PersistentVolumes and claims from manifest files, for a
 * node without API server. Replaces the API's readers with the same
 * behaviour: listeners are called after every change.
 *
 * Invariant: written by the source of the files only, whole sets at a time.
 */
import { Emitter } from '../../../base/async/emitter.ts';
import { KeyedEmitter } from '../../../base/async/keyed-emitter.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../core/api/persistent-volume.ts';
import { describeLocalObject, type LocalObject } from '../../../core/manifest/local-object.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import { bindLocalClaims } from '../../../core/volume/bind-local-claims.ts';
import type { ObjectReference } from '../../../core/volume/volume-objects.ts';
import type { ClaimReader, StorageLookup } from '../../../ports/cluster/claim-reader.ts';
import type { ObjectReader } from '../../../ports/cluster/object-reader.ts';
import { toObjectLookup } from './to-object-lookup.ts';

const KINDS = { configmap: 'ConfigMap', secret: 'Secret' } as const;

export class LocalObjects implements ObjectReader, ClaimReader {
  #objects: ReadonlyMap<string, LocalObject> = new Map();
  #bound = bindLocalClaims([], []);
  readonly #changes = new KeyedEmitter();
  readonly #claimChanges = new Emitter();

  /** All objects there are now. */
  replace(objects: readonly LocalObject[]): void {
    const before = this.#objects;
    const beforeBound = JSON.stringify(toStorage(before));
    this.#objects = new Map(objects.map((object) => [describeLocalObject(object), object]));
    const storage = toStorage(this.#objects);
    this.#bound = bindLocalClaims(storage.claims, storage.volumes);
    for (const key of new Set([...before.keys(), ...this.#objects.keys()])) {
      if (JSON.stringify(before.get(key)) === JSON.stringify(this.#objects.get(key))) continue;
      this.#changes.emit(key);
    }
    if (beforeBound !== JSON.stringify(storage)) this.#claimChanges.emit();
  }

  async configMap(namespace: string, name: string): Promise<ObjectLookup> {
    return this.#lookUp({ kind: 'configmap', namespace, name });
  }

  async secret(namespace: string, name: string): Promise<ObjectLookup> {
    return this.#lookUp({ kind: 'secret', namespace, name });
  }

  subscribe(reference: ObjectReference, onChange: () => void): Disposable {
    return this.#changes.subscribe(toKey(reference), onChange);
  }

  onClaimsChanged(onChange: () => void): Disposable {
    return this.#claimChanges.subscribe(onChange);
  }

  async claim(namespace: string, name: string): Promise<StorageLookup<PersistentVolumeClaim>> {
    return toLookup(this.#bound.claims.get(`${namespace}/${name}`), `persistentvolumeclaims "${name}"`);
  }

  async persistentVolume(name: string): Promise<StorageLookup<PersistentVolume>> {
    return toLookup(this.#bound.volumes.get(name), `persistentvolumes "${name}"`);
  }

  #lookUp(reference: ObjectReference): ObjectLookup {
    const object = this.#objects.get(toKey(reference));
    if (object?.kind !== 'ConfigMap' && object?.kind !== 'Secret') return { kind: 'missing' };
    return toObjectLookup(reference.kind, object);
  }
}

function toKey({ kind, namespace, name }: ObjectReference): string {
  return `${KINDS[kind]} ${namespace}/${name}`;
}

function toStorage(objects: ReadonlyMap<string, LocalObject>): {
  claims: PersistentVolumeClaim[];
  volumes: PersistentVolume[];
} {
  const all = [...objects.values()];
  return {
    claims: all.filter((object) => object.kind === 'PersistentVolumeClaim'),
    volumes: all.filter((object) => object.kind === 'PersistentVolume'),
  };
}

function toLookup<T>(object: T | undefined, words: string): StorageLookup<T> {
  return object === undefined ? { kind: 'failed', message: `${words} not found` } : { kind: 'found', object };
}
