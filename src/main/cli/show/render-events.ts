/** Events as a table, and as the last section of `describe`. */
import { renderHumanDuration } from '../../../base/text/human-duration.ts';
import type { ApiEvent } from '../../../core/events/api-event.ts';

export function eventTitles(withNamespace: boolean): string[] {
  return [...(withNamespace ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'];
}

export function toEventCells(event: ApiEvent, nowMs: number, withNamespace: boolean): string[] {
  const { involvedObject, type, reason, message, metadata } = event;
  return [
    ...(withNamespace ? [metadata.namespace] : []),
    renderTimes(event, nowMs),
    type,
    reason,
    toObjectName(involvedObject),
    onOneLine(message),
  ];
}

/** `pod/web`, and for what happened to a container `pod/web{main}`. */
function toObjectName({ kind, name, fieldPath = '' }: ApiEvent['involvedObject']): string {
  const container = /\{.+\}$/.exec(fieldPath)?.[0] ?? '';
  return `${kind.toLowerCase()}/${name}${container}`;
}

/** For `describe`: the object is known, so its part is shown instead. */
export function toDescribedCells(event: ApiEvent, nowMs: number): string[] {
  const { type, reason, message, involvedObject } = event;
  return [type, reason, renderTimes(event, nowMs), involvedObject.fieldPath ?? '', onOneLine(message)];
}

/** `12s`, or `12s (x5 over 3m)` for one that came several times. */
function renderTimes({ firstTimestamp, lastTimestamp, count }: ApiEvent, nowMs: number): string {
  const last = renderHumanDuration(nowMs - Date.parse(lastTimestamp));
  if (count <= 1) return last;
  return `${last} (x${count} over ${renderHumanDuration(nowMs - Date.parse(firstTimestamp))})`;
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
