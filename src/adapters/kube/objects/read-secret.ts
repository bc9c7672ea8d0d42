/** One Secret, read now: volumes of the cluster may name any, so they are not watched. */
import { errorText } from '../../../base/errors.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import { SECRETS } from '../../../ports/cluster/api-resource.ts';
import { type ApiServer, apiStatusOf } from '../../../ports/cluster/api-server.ts';
import { type DataObject, toObjectLookup } from './to-object-lookup.ts';

/** Never rejects: what goes wrong is an answer. */
export async function readSecretNow(
  api: Pick<ApiServer, 'get'>,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<ObjectLookup> {
  try {
    const found = await api.get<DataObject>({ resource: SECRETS, namespace, name }, signal ? { signal } : {});
    return toObjectLookup('secret', found);
  } catch (error) {
    return { kind: 'failed', message: apiStatusOf(error)?.message ?? errorText(error) };
  }
}
