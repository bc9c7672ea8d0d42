/** The API objects that the volumes of a pod show, so that a change of one can be noticed. */
import type { Pod } from '../api/pod.ts';
import type { Volume } from '../api/volume.ts';
import type { ObjectKind } from './object-payload.ts';
import { toUsedVolumes } from './used-volumes.ts';

export interface ObjectReference {
  readonly kind: ObjectKind;
  readonly namespace: string;
  readonly name: string;
}

/** Each object once. */
export function toVolumeObjects(pod: Pod): ObjectReference[] {
  const { namespace } = pod.metadata;
  const found = new Map<string, ObjectReference>();
  for (const volume of toUsedVolumes(pod))
    for (const [kind, name] of toShownObjects(volume))
      if (name) found.set(`${kind}/${name}`, { kind, namespace, name });
  return [...found.values()];
}

/** The volume shows trust anchors or a certificate, which change as well. */
export function showsCredentials({ projected }: Volume): boolean {
  return (projected?.sources ?? []).some(
    ({ clusterTrustBundle, podCertificate }) =>
      clusterTrustBundle !== undefined || podCertificate !== undefined,
  );
}

/** The volume shows the object. */
export function showsObject(volume: Volume, { kind, name }: ObjectReference): boolean {
  return toShownObjects(volume).some(([shownKind, shownName]) => shownKind === kind && shownName === name);
}

function toShownObjects({ configMap, secret, projected }: Volume): [ObjectKind, string | undefined][] {
  return [
    ['configmap', configMap?.name],
    ['secret', secret?.secretName],
    ...(projected?.sources ?? []).flatMap((source): [ObjectKind, string | undefined][] => [
      ['configmap', source.configMap?.name],
      ['secret', source.secret?.name],
    ]),
  ];
}
