/**
 * Verbosities of single files (`logging.vmodule`): a pattern with `*`, `?` and
 * `[…]` is compared with the name of the source file, without directory and
 * ending; the first that fits counts.
 */
import type { VerbosityPattern } from '../config/kubelet-configuration.ts';

/** Undefined without patterns. The result remembers what it found for a file. */
export function toFileVerbosity(
  patterns: readonly VerbosityPattern[],
): ((file: string) => number) | undefined {
  if (patterns.length === 0) return undefined;
  const rules = patterns.map(({ filePattern, verbosity }) => ({
    expression: toExpression(filePattern),
    verbosity,
  }));
  const known = new Map<string, number>();
  return (file) => {
    let found = known.get(file);
    if (found === undefined) {
      found = rules.find(({ expression }) => expression?.test(file) === true)?.verbosity ?? 0;
      known.set(file, found);
    }
    return found;
  };
}

/** Undefined for a pattern that fits nothing, such as one with an open bracket. */
function toExpression(pattern: string): RegExp | undefined {
  // A run of stars is one: the expression must not try them against each other.
  const text = pattern.replace(/\*+/g, '*').replace(/\\(.)|\*|\?|\[(\^?)([^\]]+)\]|([^\w-])/g, toPart);
  try {
    return new RegExp(`^${text}$`, 'u');
  } catch {
    return undefined;
  }
}

function toPart(whole: string, escaped = '', negated = '', members = '', other = ''): string {
  if (whole === '*') return '[^/]*';
  if (whole === '?') return '[^/]';
  if (members !== '') return `[${negated}${members.replace(/[^\w-]/gu, '\\$&')}]`;
  return quote(escaped === '' ? other : escaped);
}

function quote(character: string): string {
  return /[\w-]/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
