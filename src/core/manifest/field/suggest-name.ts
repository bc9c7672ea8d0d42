/**
 * Guesses which known name a person meant: the same letters in another case, else the nearest name within a
 * small edit distance. Only used in messages.
 */

/** The likeliest of `known` for the misspelt `name`, or undefined when none is near. */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  const sameLetters = known.find((one) => one.toLowerCase() === lower);
  if (sameLetters !== undefined) return sameLetters;
  if (name.length > 64) return undefined;
  const limit = Math.min(3, Math.floor(name.length / 3));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const one of known) {
    const distance = editDistance(lower, one.toLowerCase());
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name: one, distance };
    }
  }
  return best?.name;
}

/** ` (did you mean <name>?)` for the end of a complaint; empty when no name is near. */
export function renderGuess(name: string, known: readonly string[], prefix = ''): string {
  const guess = suggestName(name, known);
  return guess === undefined ? '' : ` (did you mean ${prefix}${guess}?)`;
}

/** Insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
