/**
 * Runs a credential plugin of the operator once. The answer holds secrets:
 * callers neither log nor show it.
 */
import type { CredentialProvider } from '../../core/image/credential-provider.ts';

export interface CredentialPlugins {
  /** `request` goes to its standard input; the answer is its standard output. Rejects with AgentError. */
  run(provider: CredentialProvider, image: string, request: string): Promise<string>;
}
