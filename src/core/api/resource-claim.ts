/** A ResourceClaim of `resource.k8s.io/v1`: devices that were chosen for a pod, or for several. */
import type { ObjectMeta } from './meta.ts';

export interface ResourceClaim {
  readonly metadata: ObjectMeta;
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly ClaimResult[] } };
    readonly reservedFor?: readonly ClaimConsumer[];
  };
}

/** One device of a claim. */
export interface ClaimResult {
  /** `<request>` or `<request>/<sub-request>`. */
  readonly request: string;
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

export interface ClaimConsumer {
  readonly apiGroup?: string;
  readonly resource: string;
  readonly name: string;
  readonly uid: string;
}
