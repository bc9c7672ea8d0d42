/** The life of a pod as a table whose last column is a bar on one common scale (core/timeline). */
import { type Html, html } from '../../../base/text/html.ts';
import {
  renderSpan,
  type TimelineScale,
  toShare,
  toTimelineScale,
} from '../../../core/timeline/timeline-scale.ts';
import type { TimelineStep } from '../../../core/timeline/timeline-step.ts';
import type { RecordedTimeline } from '../../pods/timeline-route.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import type { ViewContext } from './view-context.ts';

const [WIDTH, HEIGHT] = [300, 14];
/** Of what took no time. */
const LEAST_BAR = 3;

export function renderLife({ seenAtMs, steps, leftOut }: RecordedTimeline, context: ViewContext): Section {
  const { pod: words } = context.text;
  const scale = toTimelineScale(seenAtMs, steps, context.nowMs);
  const columns: readonly Column[] = [
    { title: words.at, kind: 'number' },
    { title: words.step },
    { title: words.took, kind: 'number' },
    { title: words.when },
  ];
  const rows = steps.map((step) => renderStep(step, scale, columns, context));
  const summary =
    scale.readyMs === undefined ? words.notReadyYet : words.readyAfter(renderSpan(scale.readyMs - seenAtMs));
  const gap = leftOut === 0 ? '' : html`<p>${words.leftOut(leftOut)}</p>`;
  return toSection(
    'life',
    words.life,
    html`<p>${summary}</p>${renderHtmlTable(words.life, columns, rows)}${gap}`,
  );
}

function renderStep(
  step: TimelineStep,
  scale: TimelineScale,
  columns: readonly Column[],
  { text: { pod: words } }: ViewContext,
): Html {
  const { what, about, startMs, endMs, problem, tries } = step;
  const notes = [
    ...(problem === undefined ? [] : [problem]),
    ...(tries === undefined ? [] : [words.tries(tries)]),
  ];
  const took = endMs === undefined ? words.underWay : endMs === startMs ? '' : renderSpan(endMs - startMs);
  const cells = renderCells(columns, [
    `+${renderSpan(startMs - scale.fromMs)}`,
    html`${what}${about === undefined ? '' : html` <b>${about}</b>`}${notes.length === 0 ? '' : html` <small>(${notes.join(', ')})</small>`}`,
    took,
    renderBar(step, scale),
  ]);
  return html`<tr>${cells}</tr>`;
}

/** The numbers beside it say the same, so it is hidden from readers of the screen. */
function renderBar(step: TimelineStep, scale: TimelineScale): Html {
  if (step.startMs > scale.untilMs) return html``;
  const from = Math.round(toShare(scale, step.startMs) * WIDTH);
  const until = Math.round(toShare(scale, step.endMs ?? scale.untilMs) * WIDTH);
  const tone = step.problem !== undefined ? 'bad' : step.endMs === undefined ? 'busy' : 'good';
  const x = Math.min(from, WIDTH - LEAST_BAR);
  const bar = html`<rect class="${tone}" x="${x}" y="2" width="${Math.max(LEAST_BAR, until - x)}" height="${HEIGHT - 4}"/>`;
  return html`<svg class="bar" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bar}</svg>`;
}
