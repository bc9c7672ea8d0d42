/** Every ConfigMap and Secret that a pod refers to by name: volumes, variables, credentials of its images. */
import type { Pod } from '../../../core/api/pod.ts';
import { allContainersOf } from '../../../core/model/pod-containers.ts';
import { toEnvironmentReferences } from '../../../core/spec/environment-references.ts';
import { type ObjectReference, toVolumeObjects } from '../../../core/volume/volume-objects.ts';

/** By key, each once. */
export function toPodObjects(pod: Pod): ReadonlyMap<string, ObjectReference> {
  const { namespace } = pod.metadata;
  const found = new Map<string, ObjectReference>();
  const add = (reference: ObjectReference): void => {
    if (reference.name !== '') found.set(toObjectKey(reference), reference);
  };
  for (const reference of toVolumeObjects(pod)) add(reference);
  for (const container of allContainersOf(pod)) {
    const { configMaps, secrets } = toEnvironmentReferences(container);
    for (const name of configMaps) add({ kind: 'configmap', namespace, name });
    for (const name of secrets) add({ kind: 'secret', namespace, name });
  }
  for (const { name = '' } of pod.spec.imagePullSecrets ?? []) add({ kind: 'secret', namespace, name });
  return found;
}

export function toObjectKey({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}
