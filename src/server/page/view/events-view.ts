/** Events: the last quarter of an hour as a strip, and the newest as a table. */
import { type Html, html } from '../../../base/text/html.ts';
import type { RememberedEvent } from '../../../core/events/remembered-event.ts';
import { renderAge } from './moments.ts';
import { SHOWN_MS, toX } from './plot.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import type { ViewContext } from './view-context.ts';

const STRIP = { width: 600, height: 20 };
const MARK_WIDTH = 2;
const MAX_MARKS = 200;

/** Newest first, at most `most`; `events` are oldest first. */
export function renderEvents(
  events: readonly RememberedEvent[],
  most: number,
  context: ViewContext,
  more?: Html,
): Section {
  const { events: words } = context.text;
  if (events.length === 0) return toSection('events', words.title, html`<p>${words.empty}</p>`);
  const columns = toColumns(context);
  const rows = events
    .slice(-most)
    .toReversed()
    .map((event) => renderEvent(event, columns, context));
  const table = renderHtmlTable(words.title, columns, rows);
  return toSection('events', words.title, html`${renderStrip(events, context)}${table}${more}`);
}

function toColumns({ text: { events: words } }: ViewContext): readonly Column[] {
  return [
    { title: words.seen, kind: 'number' },
    { title: words.reason },
    { title: words.object, kind: 'wide' },
    { title: words.message },
  ];
}

function renderEvent(event: RememberedEvent, columns: readonly Column[], context: ViewContext): Html {
  const { object, type, reason, message, count, lastAtMs } = event;
  const container = /\{.+\}$/.exec(object.fieldPath ?? '')?.[0] ?? '';
  const times = count <= 1 ? '' : html` <small class="count">${context.text.events.times(count)}</small>`;
  const cells = renderCells(columns, [
    renderAge(lastAtMs, context),
    html`<span class="state ${type === 'Normal' ? 'done' : 'warn'}">${reason}</span>${times}`,
    `${object.kind.toLowerCase()}/${object.name}${container}`,
    message.replace(/\s+/g, ' ').trim(),
  ]);
  return html`<tr>${cells}</tr>`;
}

/** A mark for the last time of each event; what is seen is said in the table. */
function renderStrip(events: readonly RememberedEvent[], { text, nowMs }: ViewContext): Html {
  const recent = events.filter(({ lastAtMs }) => nowMs - lastAtMs <= SHOWN_MS).slice(-MAX_MARKS);
  const warnings = recent.filter(({ type }) => type !== 'Normal').length;
  const marks = recent.map(({ type, lastAtMs }) => {
    const x = Math.round(toX(lastAtMs, nowMs) * (STRIP.width - MARK_WIDTH));
    const tone = type === 'Normal' ? 'done' : 'warn';
    return html`<rect class="${tone}" x="${x}" y="3" width="${MARK_WIDTH}" height="14"/>`;
  });
  return html`<svg class="strip" viewBox="0 0 ${STRIP.width} ${STRIP.height}" preserveAspectRatio="none" role="img" aria-label="${text.events.strip(recent.length, warnings)}"><line x1="0" y1="10" x2="${STRIP.width}" y2="10"/>${marks}</svg>`;
}
