/**
 * May a pod use an image that is on the machine without pulling it itself?
 * Without this check a private image that one tenant pulled would be usable by
 * any other who knows its name. Checked in two steps, because the pod's
 * credentials are costly to get and mostly not needed.
 */
import { trimTagAndDigest } from './image-repository.ts';
import {
  credentialsOf,
  type ImagePullCredentials,
  type ImagePullSecret,
  type PulledRecord,
} from './pull-record.ts';
import type { CredentialOwner } from './registry-credential.ts';

/** Values of imagePullCredentialsVerificationPolicy. */
export type VerificationPolicy =
  | 'NeverVerify'
  | 'NeverVerifyPreloadedImages'
  | 'NeverVerifyAllowlistedImages'
  | 'AlwaysVerify';

export interface VerificationSettings {
  readonly policy: VerificationPolicy;
  /** For NeverVerifyAllowlistedImages: names without tag, or everything below `…/*`. */
  readonly allowlist: readonly string[];
}

export interface ImageAccessFacts {
  /** As the pod names it. */
  readonly image: string;
  /** What is remembered of the image with this identity. */
  readonly record: PulledRecord | 'none' | 'unreadable';
  /** A pull of that name was begun and has not ended as far as known. */
  readonly hasIntent: boolean;
}

export type ImageAccess =
  | { readonly kind: 'allowed'; readonly by: 'policy' | 'record' }
  | { readonly kind: 'must-pull' }
  /** It depends on the pod's credentials; call decideByCredentials. */
  | { readonly kind: 'ask-credentials'; readonly recorded: ImagePullCredentials };

/** The decision before the pod's credentials are known. */
export function decideImageAccess(settings: VerificationSettings, facts: ImageAccessFacts): ImageAccess {
  const { image, record, hasIntent } = facts;
  if (record === 'unreadable') return { kind: 'must-pull' };
  if (!requiresVerification(settings, image, record !== 'none' || hasIntent))
    return { kind: 'allowed', by: 'policy' };
  const recorded = record === 'none' ? undefined : credentialsOf(record, trimTagAndDigest(image));
  if (recorded === undefined) return { kind: 'must-pull' };
  if (recorded.nodePodsAccessible === true) return { kind: 'allowed', by: 'record' };
  const { kubernetesSecrets = [], kubernetesServiceAccounts = [] } = recorded;
  if (kubernetesSecrets.length === 0 && kubernetesServiceAccounts.length === 0) return { kind: 'must-pull' };
  return { kind: 'ask-credentials', recorded };
}

export interface ShownCredentials {
  readonly secrets: readonly ImagePullSecret[];
  readonly serviceAccounts: readonly CredentialOwner[];
}

export type CredentialVerdict =
  /** `remember` is a secret to add to the record, equivalent to one recorded. */
  { readonly allowed: true; readonly remember?: ImagePullSecret } | { readonly allowed: false };

/** Access checks alone do not grow a record beyond this. */
const MAX_RECORDED_SECRETS = 100;

export function decideByCredentials(
  recorded: ImagePullCredentials,
  shown: ShownCredentials,
): CredentialVerdict {
  const { kubernetesSecrets: known = [], kubernetesServiceAccounts: accounts = [] } = recorded;
  const mayGrow = known.length < MAX_RECORDED_SECRETS;
  for (const secret of shown.secrets) {
    for (const other of known) {
      const sameHash = other.credentialHash !== '' && secret.credentialHash === other.credentialHash;
      const sameSecret = isSameOwner(secret, other);
      if (sameHash) return { allowed: true, ...(!sameSecret && mayGrow ? { remember: secret } : {}) };
      // The secret that pulled it has new content: the registry trusted its holder once.
      if (sameSecret && mayGrow) return { allowed: true, remember: secret };
    }
  }
  return { allowed: shown.serviceAccounts.some((one) => accounts.some((other) => isSameOwner(one, other))) };
}

function requiresVerification(
  { policy, allowlist }: VerificationSettings,
  image: string,
  pulledByKubelet: boolean,
): boolean {
  switch (policy) {
    case 'NeverVerify':
      return false;
    case 'NeverVerifyPreloadedImages':
      return pulledByKubelet;
    case 'NeverVerifyAllowlistedImages':
      return !isAllowlisted(allowlist, trimTagAndDigest(image));
    case 'AlwaysVerify':
      return true;
  }
}

function isAllowlisted(allowlist: readonly string[], name: string): boolean {
  return allowlist.some((entry) =>
    entry.endsWith('/*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
}

function isSameOwner(a: CredentialOwner, b: CredentialOwner): boolean {
  return a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
}
