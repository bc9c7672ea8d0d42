/**
 * The hash that shows whether a running container still matches its definition
 * in the spec. It is stored as an annotation; matching it byte for byte lets this
 * agent adopt containers started by another kubelet.
 */

import { fnv1a32 } from '../../base/text/fnv.ts';
import type { Container } from '../api/pod.ts';

/** Every pass of a pod asks for the hash of every container that runs. */
const known = new WeakMap<Container, string>();

/** Lower-case hex; only name and image take part, so nothing else restarts a container. */
export function computeContainerHash(container: Container): string {
  const before = known.get(container);
  if (before !== undefined) return before;
  const hash = hashOf(container);
  known.set(container, hash);
  return hash;
}

function hashOf(container: Container): string {
  const json = `{"image":${jsonText(container.image ?? '')},"name":${jsonText(container.name)}}`;
  // The hash runs over a printed list of byte values, not over the JSON itself.
  return fnv1a32(`([]uint8)[${new TextEncoder().encode(json).join(' ')}]`);
}

function jsonText(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
