/** Claims and persistent volumes of the API server; each call reads again, because a node has no right to watch. */
import { errorText, hasCode } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../core/api/persistent-volume.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { toClaimName } from '../../../core/volume/resolve-claim.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../ports/cluster/api-resource.ts';
import { type ApiServer, apiStatusOf, type ObjectRef } from '../../../ports/cluster/api-server.ts';
import type { ClaimReader, StorageLookup } from '../../../ports/cluster/claim-reader.ts';
import { REMEMBERED_WAIT_MS, type RememberedFacts } from '../../../ports/cluster/remembered-facts.ts';

export class ApiClaimReader implements ClaimReader {
  readonly #api: Pick<ApiServer, 'get'>;
  readonly #onChange: (() => void) | undefined;
  /** The last answer to each question; it serves only while the server of a later run is away. */
  readonly #known = new Map<string, Remembered>();

  constructor(api: Pick<ApiServer, 'get'>, onChange?: () => void) {
    this.#api = api;
    this.#onChange = onChange;
  }

  /** Takes what an earlier run knew. */
  restore(storage: RememberedFacts['storage']): void {
    for (const [key, object] of Object.entries(storage)) this.#known.set(key, { object, isRestored: true });
  }

  /** The claims of these pods and the volumes bound to them, for a later run; others are forgotten. */
  remember(pods: readonly Pod[]): RememberedFacts['storage'] {
    const kept: Record<string, StorageObject> = {};
    const keep = (key: string): StorageObject | undefined => {
      const object = this.#known.get(key)?.object;
      if (object !== undefined) kept[key] = object;
      return object;
    };
    for (const pod of pods)
      for (const volume of pod.spec.volumes ?? []) {
        const wanted = toClaimName(pod, volume);
        const claim =
          wanted === undefined ? undefined : keep(keyOf({ ...wanted, resource: PERSISTENT_VOLUME_CLAIMS }));
        if (claim !== undefined && 'volumeName' in claim.spec)
          keep(keyOf({ name: claim.spec.volumeName ?? '', resource: PERSISTENT_VOLUMES }));
      }
    for (const key of this.#known.keys()) if (!(key in kept)) this.#known.delete(key);
    return kept;
  }

  claim(
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<StorageLookup<PersistentVolumeClaim>> {
    return this.#read({ resource: PERSISTENT_VOLUME_CLAIMS, namespace, name }, signal);
  }

  persistentVolume(name: string, signal?: AbortSignal): Promise<StorageLookup<PersistentVolume>> {
    return this.#read({ resource: PERSISTENT_VOLUMES, name }, signal);
  }

  async #read<T extends StorageObject>(
    ref: ObjectRef,
    signal: AbortSignal | undefined,
  ): Promise<StorageLookup<T>> {
    const known = this.#known.get(keyOf(ref));
    try {
      const object = await this.#api.get<T>(ref, {
        signal,
        ...(known?.isRestored ? { timeoutMs: REMEMBERED_WAIT_MS } : {}),
      });
      if (object !== undefined) {
        this.#note(keyOf(ref), object);
        return { kind: 'found', object };
      }
      return { kind: 'failed', message: `${ref.resource.plural} ${quote(ref.name)} not found` };
    } catch (error) {
      if (known?.isRestored && isAway(error)) return { kind: 'found', object: known.object as T };
      return { kind: 'failed', message: apiStatusOf(error)?.message ?? errorText(error) };
    }
  }

  #note(key: string, object: StorageObject): void {
    // It would never be requested, nor released when no longer needed.
    if (this.#onChange === undefined) return;
    const before = this.#known.get(key)?.object.metadata.resourceVersion;
    this.#known.set(key, { object, isRestored: false });
    if (before === undefined || before !== object.metadata.resourceVersion) this.#onChange();
  }
}

type StorageObject = PersistentVolumeClaim | PersistentVolume;

interface Remembered {
  readonly object: StorageObject;
  readonly isRestored: boolean;
}

function keyOf({
  resource,
  namespace = '',
  name,
}: Pick<ObjectRef, 'resource' | 'namespace' | 'name'>): string {
  return `${resource.plural}/${namespace}/${name}`;
}

function isAway(error: unknown): boolean {
  return hasCode(error, 'unavailable') || hasCode(error, 'deadline-exceeded');
}
