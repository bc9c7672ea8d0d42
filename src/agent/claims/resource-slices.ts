/**
 * Removes resource slices of drivers that are not there: all of this node when
 * the agent starts, as drivers publish theirs again when they register, and
 * those of a driver that has gone. Tried again until it succeeds.
 */
import { retryUntilStopped } from '../../base/async/retry.ts';
import { hasCode } from '../../base/errors.ts';
import type { ApiObject, ApiServer } from '../../ports/cluster/api-server.ts';
import type { Kit } from '../../ports/kit.ts';

const SLICES = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceslices' };
const RETRY = { initialMs: 1_000, maxMs: 300_000 };

export interface ResourceSlicesParts {
  /** Resolves when the API server can be called, or with `stop`. */
  readonly whenReady: (stop: AbortSignal) => Promise<void>;
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly api: Pick<ApiServer, 'list' | 'delete'>;
  readonly nodeName: string;
}

export class ResourceSlices {
  readonly name = 'resource slices';
  readonly #parts: ResourceSlicesParts;

  constructor(parts: ResourceSlicesParts) {
    this.#parts = parts;
  }

  async run(stop: AbortSignal): Promise<void> {
    await this.#parts.whenReady(stop);
    await removeSlices(this.#parts, undefined, stop);
  }

  /** Those of a driver that has gone, until it is back: what it publishes then is in use. */
  remove(driver: string, isBack: AbortSignal): void {
    void removeSlices(this.#parts, driver, isBack);
  }
}

/** Of one driver, or of all; resolves when they are gone, or with `stop`. */
async function removeSlices(
  { kit, api, nodeName }: ResourceSlicesParts,
  driver: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const fields = [`spec.nodeName=${nodeName}`, ...(driver === undefined ? [] : [`spec.driver=${driver}`])];
  const remove = async (): Promise<void> => {
    const query = { resource: SLICES, fieldSelector: fields.join(',') };
    const { items } = await api.list<ApiObject>(query, { signal: stop });
    for (const { metadata } of items)
      await api
        .delete({ resource: SLICES, name: metadata.name }, { signal: stop })
        .catch((error: unknown) => {
          if (!hasCode(error, 'not-found')) throw error;
        });
  };
  await retryUntilStopped(remove, {
    clock: kit.clock,
    policy: RETRY,
    stop,
    onFailure: (error) => kit.logger.error('cannot remove resource slices', error, { driver }),
  });
}
