/**
 * Labels and annotations written on a container. Read back after a restart
 * (container-labels.ts), so they must hold all that a kill without a spec
 * needs.
 */
import type { StringMap } from '../api/meta.ts';
import type { Container, Pod } from '../api/pod.ts';
import { computeContainerHash } from '../model/container-hash.ts';
import {
  CONTAINER_NAME_LABEL,
  DELETION_GRACE_ANNOTATION,
  HASH_ANNOTATION,
  POD_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_UID_LABEL,
  PORTS_ANNOTATION,
  PRE_STOP_ANNOTATION,
  RESTART_COUNT_ANNOTATION,
  TERMINATION_GRACE_ANNOTATION,
  TERMINATION_MESSAGE_PATH_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from '../model/container-labels.ts';

/** The labels that name the pod, on sandboxes and containers alike. */
export function toPodIdentityLabels(pod: Pod): StringMap {
  return {
    [POD_NAME_LABEL]: pod.metadata.name,
    [POD_NAMESPACE_LABEL]: pod.metadata.namespace,
    [POD_UID_LABEL]: pod.metadata.uid,
  };
}

/** Exactly these: the pod's own labels are not copied. */
export function toContainerLabels(pod: Pod, container: Container): StringMap {
  return { ...toPodIdentityLabels(pod), [CONTAINER_NAME_LABEL]: container.name };
}

/** The agent's annotations win over those `extra` ones of devices. */
export function toContainerAnnotations(
  pod: Pod,
  container: Container,
  restartCount: number,
  extra: StringMap = {},
): StringMap {
  const { deletionGracePeriodSeconds: deletionGrace } = pod.metadata;
  const { terminationGracePeriodSeconds: terminationGrace } = pod.spec;
  const preStop = container.lifecycle?.preStop;
  return {
    ...extra,
    [HASH_ANNOTATION]: computeContainerHash(container),
    [RESTART_COUNT_ANNOTATION]: String(restartCount),
    [TERMINATION_MESSAGE_PATH_ANNOTATION]: container.terminationMessagePath ?? '',
    [TERMINATION_MESSAGE_POLICY_ANNOTATION]: container.terminationMessagePolicy ?? 'File',
    ...(deletionGrace !== undefined && { [DELETION_GRACE_ANNOTATION]: String(deletionGrace) }),
    ...(terminationGrace !== undefined && { [TERMINATION_GRACE_ANNOTATION]: String(terminationGrace) }),
    ...(preStop !== undefined && { [PRE_STOP_ANNOTATION]: JSON.stringify(preStop, HANDLER_FIELDS) }),
    ...(container.ports?.length && { [PORTS_ANNOTATION]: JSON.stringify(container.ports, PORT_FIELDS) }),
  };
}

/** In the order of the API types, so that the same container has the same text for any order in its manifest. */
const PORT_FIELDS = ['name', 'hostPort', 'containerPort', 'protocol', 'hostIP'];
const HANDLER_FIELDS = [
  ...['exec', 'command', 'httpGet', 'path', 'name', 'value', 'tcpSocket', 'port', 'host', 'scheme'],
  ...['httpHeaders', 'sleep', 'seconds'],
];
