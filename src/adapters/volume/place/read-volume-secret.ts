/** The values of a Secret that a volume needs to be set up with, not to show. */

import { accept, type Outcome, refuse } from '../../../base/outcome.ts';
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { ObjectReader } from '../../../ports/cluster/object-reader.ts';

/** Reads again each time. */
export type SecretLookup = ObjectReader['secret'];

export type FoundSecret = Extract<ObjectLookup, { kind: 'found' }>;

/** Refused in the words of the reader. */
export async function readVolumeSecret(
  lookUp: SecretLookup,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<FoundSecret>> {
  const found = await lookUp(namespace, name, signal);
  switch (found.kind) {
    case 'found':
      return accept(found);
    case 'missing':
      return refuse(`secrets "${name}" not found`);
    case 'failed':
      return refuse(found.message);
    case 'no-api':
      return refuse('cannot get kube client');
  }
}
