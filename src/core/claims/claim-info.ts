/** What is known of a claim that was, or is being, prepared on this node. */

export interface PreparedDevice {
  /** The requests of the claim it is for. */
  readonly requestNames: readonly string[];
  readonly pool: string;
  readonly device: string;
  readonly cdiIds: readonly string[];
  readonly shareId: string | undefined;
}

export interface ClaimInfo {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** The pods that use it. */
  readonly podUids: ReadonlySet<string>;
  /** By driver, every driver of the claim; without devices until it has prepared it. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>;
}

/** Claims are found by name, as pods name them. */
export function claimKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

export function withPod(info: ClaimInfo, podUid: string): ClaimInfo {
  return { ...info, podUids: new Set([...info.podUids, podUid]) };
}

export function withoutPod(info: ClaimInfo, podUid: string): ClaimInfo {
  return { ...info, podUids: new Set([...info.podUids].filter((uid) => uid !== podUid)) };
}
