/** Lease (coordination.k8s.io/v1) as far as the heartbeat of a node uses it. Only types. */
import type { OwnerReference, StringMap } from './meta.ts';

export interface Lease {
  readonly apiVersion?: 'coordination.k8s.io/v1';
  readonly kind?: 'Lease';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: StringMap;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** With microseconds. */
    readonly renewTime?: string;
  };
}
