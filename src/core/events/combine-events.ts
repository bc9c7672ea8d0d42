/**
 * Events that differ only in their message, such as a probe that fails with
 * another one each time, are combined: the tenth and further texts within ten
 * minutes of each other become one event with a count.
 */

export const COMBINED_PREFIX = '(combined from similar events): ';
const WINDOW_MS = 600_000;
const MAX_TEXTS = 10;

/** What is remembered of events that differ only in their message. */
export interface SimilarEvents {
  /** Different ones, oldest first; fewer than the number from which they are combined. */
  readonly texts: readonly string[];
  readonly lastAtMs: number;
}

export interface Combination {
  readonly similar: SimilarEvents;
  readonly isCombined: boolean;
}

export function combineEvent(known: SimilarEvents | undefined, message: string, nowMs: number): Combination {
  const texts = known === undefined || nowMs - known.lastAtMs > WINDOW_MS ? [] : known.texts;
  const all = texts.includes(message) ? texts : [...texts, message];
  const isCombined = all.length >= MAX_TEXTS;
  // One slot is freed, so that the next new text is combined as well.
  return { similar: { texts: isCombined ? all.slice(1) : all, lastAtMs: nowMs }, isCombined };
}
