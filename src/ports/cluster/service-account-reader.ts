/** Service accounts of the API server, for callers that act on behalf of a pod's account. */
import { type Outcome, refuse } from '../../base/outcome.ts';

export interface ServiceAccount {
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ServiceAccountReader {
  /** Never rejects; a refusal says why there is none. */
  read(namespace: string, name: string, signal?: AbortSignal): Promise<Outcome<ServiceAccount>>;
}

/** Standalone there are no accounts. */
export const noServiceAccounts: ServiceAccountReader = {
  read: async () => refuse('the agent runs without an API server'),
};
