/**
 * Times as API objects carry them: RFC 3339 in UTC, whole seconds. Everything
 * that goes into a pod status passes here, so two statuses of the same facts
 * are the same text.
 */

/** `2006-01-02T15:04:05Z`; the fraction of a second is dropped. Throws RangeError for a time no date can hold. */
export function toApiTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  const before = known.get(second);
  if (before !== undefined) return before;
  const text = `${new Date(second * 1000).toISOString().slice(0, -5)}Z`;
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(second, text);
  return text;
}

/** A pod's status has the same few times in it, pass after pass. */
const known = new Map<number, string>();
const KNOWN_LIMIT = 500;
