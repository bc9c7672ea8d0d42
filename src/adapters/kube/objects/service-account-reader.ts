/** Service accounts, asked of the API server each time: they are needed at pulls with a token only. */
import { errorText } from '../../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import { SERVICE_ACCOUNTS } from '../../../ports/cluster/api-resource.ts';
import { type ApiObject, type ApiServer, apiStatusOf } from '../../../ports/cluster/api-server.ts';
import type { ServiceAccount, ServiceAccountReader } from '../../../ports/cluster/service-account-reader.ts';

type StoredAccount = ApiObject & {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
};

export class ApiServiceAccountReader implements ServiceAccountReader {
  readonly #api: Pick<ApiServer, 'get'>;

  constructor(api: Pick<ApiServer, 'get'>) {
    this.#api = api;
  }

  async read(namespace: string, name: string, signal?: AbortSignal): Promise<Outcome<ServiceAccount>> {
    const options = signal === undefined ? {} : { signal };
    try {
      const ref = { resource: SERVICE_ACCOUNTS, namespace, name };
      const account = await this.#api.get<StoredAccount>(ref, options);
      if (account === undefined) return refuse(`serviceaccounts ${JSON.stringify(name)} not found`);
      return accept({ uid: account.metadata.uid ?? '', annotations: account.metadata.annotations ?? {} });
    } catch (error) {
      return refuse(apiStatusOf(error)?.message ?? errorText(error));
    }
  }
}
