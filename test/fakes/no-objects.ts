/** The API server's objects and claims as a standalone node sees them: there are none. */
import type { ClaimReader } from '../../src/ports/cluster/claim-reader.ts';
import type { ObjectReader } from '../../src/ports/cluster/object-reader.ts';

export const noObjects: ObjectReader = {
  configMap: async () => ({ kind: 'no-api' }),
  secret: async () => ({ kind: 'no-api' }),
  subscribe: () => ({ [Symbol.dispose]: () => {} }),
};

const NO_API = {
  kind: 'failed',
  message: 'not supported due to running kubelet in standalone mode',
} as const;

export const noClaims: ClaimReader = {
  claim: async () => NO_API,
  persistentVolume: async () => NO_API,
};
