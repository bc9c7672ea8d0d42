/**
 * The parts of Kubernetes object metadata the agent reads and writes. API
 * objects are our domain language: plain JSON, times as RFC 3339 text, never
 * a class. Fields are added when something reads them.
 */

/** A map of label or annotation keys to values. */
export type StringMap = Readonly<Record<string, string>>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** A port or a name that stands for one. */
export type IntOrString = number | string;
