/** The API objects that the volumes of a pod show, so that a change of one can be noticed. */
import type { Pod } from '../api/pod.ts';
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
  const add = (kind: ObjectKind, name: string | undefined): void => {
    if (name) found.set(`${kind}/${name}`, { kind, namespace, name });
  };
  for (const { configMap, secret, projected } of toUsedVolumes(pod)) {
    add('configmap', configMap?.name);
    add('secret', secret?.secretName);
    for (const source of projected?.sources ?? []) {
      add('configmap', source.configMap?.name);
      add('secret', source.secret?.name);
    }
  }
  return [...found.values()];
}
