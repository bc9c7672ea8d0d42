/**
 * Names and kinds of pods that many places ask for: where a pod came from,
 * how it is printed, whether it is static.
 */
import type { Pod } from './pod.ts';

export const CONFIG_SOURCE_ANNOTATION = 'kubernetes.io/config.source';
export const CONFIG_HASH_ANNOTATION = 'kubernetes.io/config.hash';
export const CONFIG_SEEN_ANNOTATION = 'kubernetes.io/config.seen';
export const CONFIG_MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** `<name>_<namespace>`: the name under which static pods follow each other. */
export function fullName(pod: Pod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}`;
}

/** `<name>_<namespace>(<uid>)`: how messages and events print a pod. */
export function describePod(pod: Pod): string {
  return `${fullName(pod)}(${pod.metadata.uid})`;
}

/** `<namespace>/<name>`: how log lines print a pod. */
export function podRef(pod: Pod): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

/** A pod from a file or URL: the node itself owns it. */
export function isStatic(pod: Pod): boolean {
  const source = pod.metadata.annotations?.[CONFIG_SOURCE_ANNOTATION];
  return source !== undefined && source !== 'api';
}

/** The API server's image of a static pod; never run. */
export function isMirror(pod: Pod): boolean {
  return pod.metadata.annotations?.[CONFIG_MIRROR_ANNOTATION] !== undefined;
}

/** Critical pods are started first and survive pressure: static, mirror, or of system priority. */
export function isCritical(pod: Pod): boolean {
  return isStatic(pod) || isMirror(pod) || (pod.spec.priority ?? 0) >= 2_000_000_000;
}
