/** Ages and remaining times. The script of the page counts them on. */
import { type Html, html } from '../../../base/text/html.ts';
import { renderHumanDuration } from '../../../base/text/human-duration.ts';
import type { ViewContext } from './view-context.ts';

type Moment = Pick<ViewContext, 'nowMs' | 'showsAges' | 'text'>;

/** How long ago. */
export function renderAge(atMs: number | undefined, { nowMs, showsAges, text }: Moment): Html {
  if (atMs === undefined) return html`${text.layout.unknown}`;
  const shown = showsAges ? renderHumanDuration(nowMs - atMs) : '';
  return html`<time datetime="${toIso(atMs)}" data-since="${Math.round(atMs)}">${shown}</time>`;
}

/** How long until then. */
export function renderRemaining(atMs: number, { nowMs, showsAges }: Moment): Html {
  const shown = showsAges ? renderHumanDuration(Math.ceil((atMs - nowMs) / 1000) * 1000) : '';
  return html`<time datetime="${toIso(atMs)}" data-until="${Math.round(atMs)}">${shown}</time>`;
}

const LAST_DATE_MS = 8.64e15;

function toIso(atMs: number): string {
  return Math.abs(atMs) <= LAST_DATE_MS ? new Date(atMs).toISOString() : '';
}
