/**
 * The lease that shows the cluster every few seconds that this node is alive.
 * Only the fields a heartbeat needs are written; others stay as they are.
 */
import type { Lease } from '../api/lease.ts';
import type { OwnerReference } from '../api/meta.ts';

export const LEASE_NAMESPACE = 'kube-node-lease';

export interface LeaseSettings {
  readonly nodeName: string;
  readonly durationSeconds: number;
}

export function toNewLease(settings: LeaseSettings, nodeUid: string, nowMs: number): Lease {
  const metadata = { name: settings.nodeName, namespace: LEASE_NAMESPACE };
  return toRenewedLease(
    { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata },
    settings,
    nodeUid,
    nowMs,
  );
}

/** An owner is added only where there is none; `nodeUid` is not read otherwise. */
export function toRenewedLease(
  lease: Lease,
  settings: LeaseSettings,
  nodeUid: string | undefined,
  nowMs: number,
): Lease {
  const { nodeName, durationSeconds } = settings;
  const owner = hasOwner(lease) || nodeUid === undefined ? {} : toOwner(nodeName, nodeUid);
  return {
    ...lease,
    metadata: { ...lease.metadata, ...owner },
    spec: {
      ...lease.spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: durationSeconds,
      renewTime: toMicroTime(nowMs),
    },
  };
}

/** The lease goes with its node. */
export function hasOwner({ metadata }: Lease): boolean {
  return (metadata.ownerReferences ?? []).length > 0;
}

function toOwner(name: string, uid: string): { ownerReferences: OwnerReference[] } {
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] };
}

/** `2006-01-02T15:04:05.000000Z`. */
function toMicroTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;
}
