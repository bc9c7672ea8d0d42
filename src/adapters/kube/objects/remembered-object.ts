/** A ConfigMap or Secret as it is kept for a later run, and back. */
import type { ObjectLookup } from '../../../core/model/environment-objects.ts';
import type { RememberedObject } from '../../../ports/cluster/remembered-facts.ts';

export interface Known {
  readonly lookup: ObjectLookup;
  /** Empty when there is no such object. */
  readonly version: string;
  readonly isImmutable: boolean;
}

/** Undefined for what is no answer of the API server. */
export function toRemembered({ lookup, version, isImmutable }: Known): RememberedObject | undefined {
  if (lookup.kind === 'missing') return { kind: 'missing' };
  if (lookup.kind !== 'found') return undefined;
  const { bytes, ...rest } = lookup;
  if (bytes === undefined) return { ...rest, version, isImmutable };
  const coded = Object.entries(bytes).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { ...rest, bytes: Object.fromEntries(coded), version, isImmutable };
}

export function fromRemembered(remembered: RememberedObject): Known {
  if (remembered.kind === 'missing') return { lookup: { kind: 'missing' }, version: '', isImmutable: false };
  const { bytes, version, isImmutable, ...rest } = remembered;
  if (bytes === undefined) return { lookup: rest, version, isImmutable };
  const decoded = Object.entries(bytes).map(([key, text]) => [key, Buffer.from(text, 'base64')]);
  return { lookup: { ...rest, bytes: Object.fromEntries(decoded) }, version, isImmutable };
}
