/**
 * The defaults the API server gives a pod, for pods that never met it. Pure and idempotent: defaulting a
 * defaulted pod changes nothing. As in the API, empty text and zero count as "not set" for fields that have no
 * meaning then.
 */
import type { Pod, PodSpec } from '../api/pod.ts';
import { defaultContainer, type QuantityStyle } from './default-container.ts';
import { defaultPodResources, roundResources } from './default-resources.ts';
import { defaultVolume } from './default-volume.ts';

/**
 * `pod` with every default of the v1 API filled in. Quantities `as written` are left alone, and so is what is
 * computed from them: the pod's own requests and the divisor of a resource reference.
 */
export function defaultPod(pod: Pod, quantities: QuantityStyle = 'canonical'): Pod {
  return { ...pod, spec: defaultSpec(pod.spec, quantities) };
}

function defaultSpec(spec: PodSpec, quantities: QuantityStyle): PodSpec {
  const hostNetwork = spec.hostNetwork ?? false;
  const isCanonical = quantities === 'canonical';
  const asPart = { fillRequests: true, hostNetwork, quantities };
  const containers = spec.containers.map((one) => defaultContainer(one, asPart));
  const initContainers = spec.initContainers?.map((one) => defaultContainer(one, asPart));
  const volumes = spec.volumes?.map((one) => defaultVolume(one, quantities));
  const account = spec.serviceAccountName || spec.serviceAccount;
  const filled: PodSpec = {
    ...spec,
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(volumes === undefined ? {} : { volumes }),
    ...(spec.overhead === undefined || !isCanonical ? {} : { overhead: roundResources(spec.overhead) }),
    // serviceAccount is the old spelling; the API keeps both equal.
    ...(account ? { serviceAccountName: account, serviceAccount: account } : {}),
    restartPolicy: spec.restartPolicy || 'Always',
    dnsPolicy: spec.dnsPolicy || 'ClusterFirst',
    schedulerName: spec.schedulerName || 'default-scheduler',
    securityContext: spec.securityContext ?? {},
    terminationGracePeriodSeconds: defaultGrace(spec.terminationGracePeriodSeconds),
    enableServiceLinks: spec.enableServiceLinks ?? true,
  };
  return isCanonical ? defaultPodResources(filled) : filled;
}

/** A negative grace period means the shortest there is; the API has always read it so. */
function defaultGrace(seconds = 30): number {
  return seconds < 0 ? 1 : seconds;
}
