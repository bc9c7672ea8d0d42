/** Claims and persistent volumes of the API server; each question is asked anew, as a node has no right to watch. */
import { errorText } from '../../base/errors.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../core/api/persistent-volume.ts';
import { quote } from '../../core/spec/quote.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../ports/api-resource.ts';
import { type ApiServer, apiStatusOf, type ObjectRef } from '../../ports/api-server.ts';
import type { ClaimReader, StorageLookup } from '../../ports/claim-reader.ts';

export class ApiClaimReader implements ClaimReader {
  readonly #api: Pick<ApiServer, 'get'>;

  constructor(api: Pick<ApiServer, 'get'>) {
    this.#api = api;
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

  async #read<T>(ref: ObjectRef, signal: AbortSignal | undefined): Promise<StorageLookup<T>> {
    try {
      const object = await this.#api.get<T>(ref, signal === undefined ? {} : { signal });
      if (object !== undefined) return { kind: 'found', object };
      return { kind: 'failed', message: `${ref.resource.plural} ${quote(ref.name)} not found` };
    } catch (error) {
      return { kind: 'failed', message: apiStatusOf(error)?.message ?? errorText(error) };
    }
  }
}
