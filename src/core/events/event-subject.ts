/** What an event is about, and how the event points at it. */
import type { PersistentVolume, PersistentVolumeClaim } from '../api/persistent-volume.ts';
import type { Pod } from '../api/pod.ts';
import { toContainerFieldPath } from '../model/field-path.ts';
import type { EventObjectReference } from './api-event.ts';

export type EventSubject =
  /** The pod, or the container of it with this name. */
  | { readonly pod: Pod; readonly container?: string | undefined }
  | { readonly claim: PersistentVolumeClaim }
  | { readonly persistentVolume: PersistentVolume }
  /** This node. */
  | 'node';

export function toEventObject(about: EventSubject, nodeName: string): EventObjectReference {
  // Without a uid: that of the node object is not known to every part that records events of the node.
  if (about === 'node') return { apiVersion: 'v1', kind: 'Node', name: nodeName };
  if ('claim' in about) return toReference('PersistentVolumeClaim', about.claim.metadata);
  if ('persistentVolume' in about) return toReference('PersistentVolume', about.persistentVolume.metadata);
  const { pod, container } = about;
  const reference = toReference('Pod', pod.metadata);
  return container === undefined
    ? reference
    : { ...reference, fieldPath: toContainerFieldPath(pod, container) };
}

function toReference(
  kind: EventObjectReference['kind'],
  { name, namespace, uid, resourceVersion }: PersistentVolume['metadata'],
): EventObjectReference {
  return {
    apiVersion: 'v1',
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
