/**
 * The UID of a static pod, exactly the one the upstream kubelet 1.36 gives it, so that either kubelet finds
 * the other's containers and leaves them running: a hash of the defaulted pod, the node and where it is from.
 */

import { Fnv128 } from '../../base/text/fnv128.ts';
import type { StringMap } from '../api/meta.ts';
import type { Pod, PodSpec } from '../api/pod.ts';
import { defaultPod } from './default-pod.ts';
import { dumpPod } from './dump-pod.ts';
import { toStoredPodResources } from './sum-stored.ts';

export type ManifestSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string };

export interface StaticPodPlace {
  readonly nodeName: string;
  readonly source: ManifestSource;
}

/** The UID of `pod`, which must be as decoded: quantities as written, nothing defaulted. */
export function computeStaticPodUid(pod: Pod, { nodeName, source }: StaticPodPlace): string {
  const hash = new Fnv128();
  dumpPod(toHashedPod(pod), (text) => hash.update(text));
  return hash
    .update(source.kind === 'file' ? `host:${nodeName}file:${source.path}` : `url:${source.url}`)
    .hex();
}

/** The pod with its fields where the object inside Kubernetes has them. */
export function toHashedPod(pod: Pod): unknown {
  const { spec } = defaultPod(pod, 'as written');
  const resources = toStoredPodResources(spec);
  const { annotations } = pod.metadata;
  return {
    metadata: { ...pod.metadata, ...(annotations && { annotations: keepAnnotations(annotations) }) },
    spec: { ...spec, securityContext: withHostNamespaces(spec), ...(resources && { resources }) },
    status: withAddresses(pod.status),
  };
}

function withHostNamespaces(spec: PodSpec): unknown {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  return { ...spec.securityContext, hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
}

/** Annotations in which very old clients kept init containers; Kubernetes drops them on sight. */
const INIT_ANNOTATION = /^pod\.(?:alpha|beta)\.kubernetes\.io\/init-container(?:s|-statuses)$/;

/** `annotations` as Kubernetes keeps them. */
export function keepAnnotations(annotations: StringMap): StringMap {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !INIT_ANNOTATION.test(key)));
}

/** The single address of old is the first of the list, and wins over it. */
function withAddresses(status: Pod['status']): unknown {
  const { podIP, podIPs } = (status ?? {}) as { podIP?: unknown; podIPs?: readonly { ip?: unknown }[] };
  if (typeof podIP !== 'string' || podIP === '' || podIPs?.[0]?.ip === podIP) return status;
  return { ...status, podIPs: [{ ip: podIP }] };
}
