/**
 * The content of a volume that is made of data: relative path to file. Built
 * here from objects and the pod, written to disk by adapters/volume.
 */
import { type Outcome, refuse } from '../../base/outcome.ts';

export interface PayloadFile {
  readonly content: Uint8Array;
  readonly mode: number;
  /** The owner; absent leaves it to root. */
  readonly uid?: number;
}

/** Later entries of one path win; paths are checked by `findPathProblem`. */
export type Payload = ReadonlyMap<string, PayloadFile>;

export const NO_DEFAULT_MODE = 'no defaultMode used, not even the default value for it';

const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/** Why a file cannot have this path; undefined when it can. */
export function findPathProblem(path: string): string | undefined {
  if (path === '') return `invalid path: must not be empty: ""`;
  if (path.startsWith('/')) return `invalid path: must be relative path: ${path}`;
  if (byteLength(path) > MAX_PATH_BYTES)
    return `invalid path: must be less than or equal to ${MAX_PATH_BYTES} characters`;
  for (const name of path.split('/')) {
    if (name === '..') return `invalid path: must not contain '..': ${path}`;
    if (byteLength(name) > MAX_NAME_BYTES)
      return `invalid path: filenames must be less than or equal to ${MAX_NAME_BYTES} characters`;
  }
  // Such names at the top are the writer's own.
  if (path.startsWith('..')) return `invalid path: must not start with '..': ${path}`;
  return undefined;
}

/** Without empty and `.` components. */
export function cleanPath(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return (path.startsWith('/') ? '/' : '') + names.join('/');
}

/** Names at the top of the volume: one link each. */
export function toVisibleNames(payload: Payload): Set<string> {
  return new Set([...payload.keys()].map((path) => path.split('/')[0] ?? path));
}

/** True when nothing has to be written: every file is there with its content and no other is. */
export function isSameContent(existing: ReadonlyMap<string, Uint8Array>, payload: Payload): boolean {
  if (existing.size !== payload.size) return false;
  return [...payload].every(([path, { content }]) => {
    const before = existing.get(path);
    return before !== undefined && isSameBytes(before, content);
  });
}

/** Several refusals as one; upstream puts more than one into brackets. */
export function joinRefusals<T>(messages: readonly string[]): Outcome<T> {
  const unique = [...new Set(messages)];
  return refuse(unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`);
}

function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
