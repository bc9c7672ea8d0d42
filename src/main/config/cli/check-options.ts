/** Flags that not every list has: one without an effect would be taken for one that has it. Pure. */
import type { CliOptions } from './cli-options.ts';
import type { Verb } from './cli-verbs.ts';
import { type GetKind, renderWords } from './cli-words.ts';

const WATCHED: readonly GetKind[] = ['pods', 'events'];
/** By the labels of pods. */
const CHOSEN: readonly GetKind[] = ['pods', 'volumes', 'configmaps', 'secrets'];
const TEMPLATED: readonly GetKind[] = ['pods', 'volumes', 'nodes', 'configmaps', 'secrets'];

/** What is wrong with them, or undefined. A word that names no kind is left to the check of words. */
export function checkOptions(
  verb: Verb,
  kind: GetKind | undefined,
  { template, watch, selector }: CliOptions,
): string | undefined {
  if (verb !== 'get') return template === undefined ? undefined : 'templates are for lists of "get" only';
  if (kind === undefined) return undefined;
  const refuse = (what: string, kinds: readonly GetKind[]): string | undefined =>
    kinds.includes(kind) ? undefined : `${what} for ${renderWords(kinds, 'and')}, not for ${kind}`;
  return (
    (watch ? refuse('-w is', WATCHED) : undefined) ??
    (selector === undefined ? undefined : refuse('-l is', CHOSEN)) ??
    (template === undefined ? undefined : refuse('templates are', TEMPLATED)) ??
    (watch && template !== undefined ? 'templates are for lists without -w' : undefined)
  );
}
