/**
 * `timeline`: the steps of a pod's life as a waterfall of characters. Bars stand on one scale from first sight until
 * the pod was ready for the first time; what came later has its time only, so that the start stays readable.
 */
import {
  renderSpan,
  type TimelineScale,
  toShare,
  toTimelineScale,
} from '../../../core/timeline/timeline-scale.ts';
import type { ListedStep, ListedTimeline } from '../../../server/pods/timeline-route.ts';
import { renderTable } from './render-table.ts';

const [LEAST_BAR, MOST_BAR] = [10, 60];
const MARK = '◆';

export function renderTimeline(timeline: ListedTimeline, nowMs: number, columns: number): string {
  const seenMs = Date.parse(timeline.seen);
  const times = timeline.steps.map(({ what, start, end }) => ({
    what,
    startMs: Date.parse(start),
    ...(end === undefined ? {} : { endMs: Date.parse(end) }),
  }));
  const scale = toTimelineScale(seenMs, times, nowMs);
  const rows = timeline.steps.map((step) => toCells(step, seenMs, nowMs));
  const titles = ['AT', 'STEP', 'TOOK'];
  // What goes wrong and names of images may be long: the bars take what is left.
  const table = renderTable([titles, ...rows])
    .split('\n')
    .slice(0, -1);
  const width = Math.max(...table.map(({ length }) => length));
  const room = Math.min(MOST_BAR, Math.max(LEAST_BAR, columns - width - 4));
  const lines = table.map((line, index) => {
    const step = timeline.steps[index - 1];
    const bar = step === undefined ? '' : renderBar(step, scale, nowMs, room);
    return `${line.padEnd(width)}   ${bar}`.trimEnd();
  });
  return `${[renderSummary(timeline, seenMs, scale.readyMs, nowMs), ...lines, ...renderGap(timeline)].join('\n')}\n`;
}

function renderSummary(
  { namespace, name, seen }: ListedTimeline,
  seenMs: number,
  readyMs: number | undefined,
  nowMs: number,
): string {
  const state =
    readyMs === undefined
      ? `not ready for ${renderSpan(nowMs - seenMs)}`
      : `ready after ${renderSpan(readyMs - seenMs)}`;
  return `${namespace}/${name}: seen ${seen}, ${state}`;
}

function renderGap({ leftOut }: ListedTimeline): string[] {
  if (leftOut === 0) return [];
  return [
    `${leftOut} ${leftOut === 1 ? 'step' : 'steps'} in the middle ${leftOut === 1 ? 'is' : 'are'} no longer known.`,
  ];
}

function toCells(step: ListedStep, seenMs: number, nowMs: number): string[] {
  const { what, about, problem, tries } = step;
  const startMs = Date.parse(step.start);
  const endMs = step.end === undefined ? undefined : Date.parse(step.end);
  const title = [
    about === undefined ? what : `${what} ${about}`,
    ...(problem === undefined ? [] : [`(${problem}${tries === undefined ? '' : `, ${tries} tries`})`]),
    ...(problem === undefined && tries !== undefined ? [`(${tries} tries)`] : []),
  ].join(' ');
  const took = endMs === undefined ? `${renderSpan(nowMs - startMs)} …` : renderSpan(endMs - startMs);
  return [`+${renderSpan(startMs - seenMs)}`, title, startMs === endMs ? '' : took];
}

function renderBar(step: ListedStep, scale: TimelineScale, nowMs: number, room: number): string {
  const startMs = Date.parse(step.start);
  const endMs = step.end === undefined ? nowMs : Date.parse(step.end);
  if (startMs > scale.untilMs) return '';
  const place = (atMs: number): number => Math.round(toShare(scale, atMs) * room);
  const from = Math.max(0, Math.min(room - 1, place(startMs)));
  if (step.end === step.start) return `${' '.repeat(from)}${MARK}`;
  const length = Math.max(1, Math.min(room, place(endMs)) - from);
  return `${' '.repeat(from)}${(step.problem === undefined ? '█' : '░').repeat(length)}`;
}
