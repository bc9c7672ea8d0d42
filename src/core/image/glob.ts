/**
 * Shell patterns: `*`, `?`, `[a-z]`, `[^a-z]` and `\` before a character. Takes
 * time proportional to pattern times text at most, because the patterns come
 * from pull secrets, which any user of the cluster may write.
 */

interface Piece {
  /** Undefined is `*`. */
  readonly fits?: (character: string) => boolean;
}

/** False also for a pattern that is malformed. */
export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = parsePieces([...pattern]);
  if (pieces === undefined) return false;
  const characters = [...text];
  let at = 0;
  let piece = 0;
  // The position of the last star and how much it has matched: backtracking only ever concerns that one.
  let star: { readonly piece: number; at: number } | undefined;
  while (at < characters.length) {
    const current = pieces[piece];
    if (current !== undefined && current.fits === undefined) {
      star = { piece, at };
      piece++;
    } else if (current?.fits?.(characters[at] ?? '') === true) {
      at++;
      piece++;
    } else if (star !== undefined) {
      star.at++;
      at = star.at;
      piece = star.piece + 1;
    } else return false;
  }
  return pieces.slice(piece).every(({ fits }) => fits === undefined);
}

function parsePieces(pattern: readonly string[]): Piece[] | undefined {
  const pieces: Piece[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '*') pieces.push({});
    else if (character === '?') pieces.push({ fits: () => true });
    else if (character === '[') {
      const parsed = parseClass(pattern, at + 1);
      if (parsed === undefined) return undefined;
      pieces.push({ fits: parsed.fits });
      at = parsed.end;
    } else {
      const wanted = character === '\\' ? pattern[++at] : character;
      if (wanted === undefined) return undefined;
      pieces.push({ fits: (given) => given === wanted });
    }
  }
  return pieces;
}

/** From behind `[` to its `]`. */
function parseClass(
  pattern: readonly string[],
  start: number,
): { readonly fits: (character: string) => boolean; readonly end: number } | undefined {
  const negated = pattern[start] === '^';
  const ranges: (readonly [low: string, high: string])[] = [];
  let at = negated ? start + 1 : start;
  while (pattern[at] !== ']' || ranges.length === 0) {
    const low = readClassCharacter(pattern, at);
    if (low === undefined) return undefined;
    at = low.next;
    let high = low;
    if (pattern[at] === '-') {
      const end = readClassCharacter(pattern, at + 1);
      if (end === undefined) return undefined;
      high = end;
      at = end.next;
    }
    ranges.push([low.character, high.character]);
  }
  const isIn = (given: string): boolean => ranges.some(([low, high]) => low <= given && given <= high);
  return { fits: (given) => isIn(given) !== negated, end: at };
}

function readClassCharacter(
  pattern: readonly string[],
  at: number,
): { readonly character: string; readonly next: number } | undefined {
  const character = pattern[at];
  if (character === undefined || character === '-' || character === ']') return undefined;
  if (character !== '\\') return { character, next: at + 1 };
  const escaped = pattern[at + 1];
  return escaped === undefined ? undefined : { character: escaped, next: at + 2 };
}
