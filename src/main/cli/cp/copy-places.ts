/** Where `cp` copies from and to, taken from its two words. Pure. */
import { posix } from 'node:path';

export type CopyPlace =
  | { readonly kind: 'local'; readonly path: string }
  /** `pod` as the other commands take it; `path` may be relative to the container's working directory. */
  | { readonly kind: 'container'; readonly pod: string; readonly path: string };

export type CopyWay =
  | { readonly kind: 'out'; readonly pod: string; readonly from: string; readonly to: string }
  | { readonly kind: 'in'; readonly pod: string; readonly from: string; readonly to: string };

/** `[NAMESPACE/]POD:PATH` is in a container; what begins like a path is not. */
function parseCopyPlace(word: string): CopyPlace {
  const at = word.indexOf(':');
  if (at <= 0 || /^[./]/.test(word)) return { kind: 'local', path: word };
  return { kind: 'container', pod: word.slice(0, at), path: word.slice(at + 1) };
}

/** A text says what is wrong. */
export function toCopyWay(words: readonly string[]): CopyWay | string {
  const [from, to] = words.map(parseCopyPlace);
  if (from === undefined || to === undefined) return 'name what to copy and where to';
  if (from.kind === to.kind)
    return from.kind === 'local'
      ? 'one of the two is in a container: write it as POD:PATH'
      : 'copy to this machine first, and from there into the other container';
  const path = from.kind === 'container' ? from.path : to.path;
  if (path === '') return 'name a path in the container: POD:PATH';
  if (from.kind === 'container') return { kind: 'out', pod: from.pod, from: from.path, to: to.path };
  return { kind: 'in', pod: to.kind === 'container' ? to.pod : '', from: from.path, to: to.path };
}

/** A directory and a name in it, as arguments that no program takes for an option; the name of `/` and `.` is empty. */
export function toContainerParts(path: string): { readonly directory: string; readonly name: string } {
  const plain = posix.normalize(path).replace(/(?<=.)\/+$/, '');
  const name = posix.basename(plain);
  if (name === '' || name === '.' || name === '..') return { directory: toOperand(plain), name: '' };
  return { directory: toOperand(posix.dirname(plain)), name };
}

export function toOperand(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}
