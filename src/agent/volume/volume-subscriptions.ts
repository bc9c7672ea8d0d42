/** Subscribes a pod to what its volumes show: claims, credentials and API objects. */
import type { PodUid } from '../../core/model/ids.ts';
import { toClaimName } from '../../core/volume/resolve-claim.ts';
import { toUsedVolumes } from '../../core/volume/used-volumes.ts';
import { type ObjectReference, showsCredentials, toVolumeObjects } from '../../core/volume/volume-objects.ts';
import type { ClaimReader } from '../../ports/cluster/claim-reader.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { ProjectedCredentials } from '../../ports/cluster/projected-credentials.ts';
import type { PodVolumes } from './pod-volumes.ts';

/** The key under which a pod listens to all claims. */
const CLAIMS = 'claims';
/** The same for credentials. */
const CREDENTIALS = 'credentials';

export interface VolumeSources {
  readonly objects: Pick<ObjectReader, 'subscribe'>;
  readonly claims: Pick<ClaimReader, 'onClaimsChanged'>;
  readonly credentials: Pick<ProjectedCredentials, 'subscribe'> | undefined;
}

export interface VolumeListeners {
  /** What mounted volumes show has changed: all, or those that show `object`. */
  readonly refresh: (object?: ObjectReference) => void;
  /** Something a missing volume waits for has changed. */
  readonly wake: () => void;
}

/** Adds the subscriptions that the pod does not have yet; `state.quiet()` ends them. */
export function subscribeVolumes(
  { objects, claims, credentials }: VolumeSources,
  uid: PodUid,
  state: PodVolumes,
  { refresh, wake }: VolumeListeners,
): void {
  const used = toUsedVolumes(state.pod);
  const listen = (key: string, subscribe: () => Disposable | undefined): void => {
    const subscription = state.subscriptions.has(key) ? undefined : subscribe();
    if (subscription !== undefined) state.subscriptions.set(key, subscription);
  };
  const refreshAndWake = (object?: ObjectReference): void => {
    refresh(object);
    wake();
  };
  if (used.some((volume) => toClaimName(state.pod, volume) !== undefined))
    listen(CLAIMS, () => claims.onClaimsChanged?.(wake));
  if (used.some(showsCredentials))
    listen(CREDENTIALS, () => credentials?.subscribe(uid, () => refreshAndWake()));
  for (const reference of toVolumeObjects(state.pod))
    listen(`${reference.kind}/${reference.name}`, () =>
      objects.subscribe(reference, () => refreshAndWake(reference)),
    );
}
