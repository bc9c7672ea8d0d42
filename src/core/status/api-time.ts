/**
 * Times as API objects carry them: RFC 3339 in UTC, whole seconds. Everything
 * that goes into a pod status passes here, so two statuses of the same facts
 * are the same text.
 */

/** `2006-01-02T15:04:05Z`; the fraction of a second is dropped. Throws RangeError for a time no date can hold. */
export function toApiTime(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, -5)}Z`;
}
