/**
 * Whose pods they are, where several kubelets share a runtime: `kubelet run` marks what it makes and sees nothing
 * else, so that it ends no pod of another.
 */

export const POD_OWNER_LABEL = 'io.kubelet-ts.owner';

export function toOwnerLabels(owner: string | undefined): Readonly<Record<string, string>> {
  return owner === undefined ? {} : { [POD_OWNER_LABEL]: owner };
}

/** False for labels that are not known: then the reader looks for itself. */
export function isOwnedByAnother(
  labels: Readonly<Record<string, string>> | undefined,
  owner: string | undefined,
): boolean {
  return owner !== undefined && labels !== undefined && labels[POD_OWNER_LABEL] !== owner;
}
