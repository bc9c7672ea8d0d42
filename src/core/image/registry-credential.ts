/**
 * What is presented to a registry to pull an image, and where it comes from. The
 * source decides who may use the image later without a pull of its own.
 *
 * Invariant: credentials are compared and remembered by hash only.
 */

export interface RegistryCredential {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** An API object that grants the use of an image. */
export interface CredentialOwner {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
}

export type PullCredentialSource =
  /** Every pod of the node may use it: configured on the node, or given by a plugin for the node. */
  | { readonly kind: 'node' }
  | ({ readonly kind: 'secret' } & CredentialOwner)
  | ({ readonly kind: 'service-account' } & CredentialOwner);

export interface PullCredential {
  readonly username: string;
  readonly password: string;
  /** Never sent; part of the hash. */
  readonly email: string;
  readonly source: PullCredentialSource;
}

/** What goes to the runtime. */
export function toRegistryCredential({ username, password }: PullCredential): RegistryCredential {
  return { username, password };
}

/** The text a credential's hash is made of; the same bytes as other kubelets hash, whose records we read. */
export function renderHashedCredential({ username, password, email }: PullCredential): string {
  const fields = { username, password, email };
  const parts = Object.entries(fields).filter(([, value]) => value !== '');
  return `{${parts.map(([name, value]) => `"${name}":${goJsonText(value)}`).join(',')}}`;
}

function goJsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
