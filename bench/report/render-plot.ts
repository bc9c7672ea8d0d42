/**
 * A group of rows as a picture: for each row a bar for ours, one for upstream
 * and one without a kubelet, as shares of upstream's median, with a whisker
 * over the rounds and a mark at the bar that ours must stay below. And memory
 * over time as lines. Pure.
 */
import { type Html, html } from '../../src/base/text/html.ts';
import type { Subject } from '../metrics.ts';
import type { Row } from './compare.ts';
import { renderSpread } from './render-table.ts';

const WIDTH = 900;
const LABEL = 330;
const NUMBERS = 190;
const BAR = 11;
const GAP = 14;
const TOP = 40;
/** Shares above this are cut off, and their numbers say what they are. */
const MOST = 1.6;

const COLOURS: Readonly<Record<Subject, string>> = { ours: '#2f6fde', upstream: '#9aa4b2', floor: '#d9b44a' };
const NAMES: Readonly<Record<Subject, string>> = { ours: 'ours', upstream: 'upstream', floor: 'no kubelet' };
const SUBJECTS: readonly Subject[] = ['ours', 'upstream', 'floor'];

const round = (value: number): string => value.toFixed(1);
const toX = (share: number): number => LABEL + (Math.min(share, MOST) / MOST) * (WIDTH - LABEL - NUMBERS);

/** Rows without a number of upstream above zero are left out: there is nothing to compare with. */
export function renderPlot(title: string, rows: readonly Row[]): string {
  let y = TOP;
  const parts = rows.flatMap((row) => {
    const whole = row.spreads.upstream?.median ?? 0;
    if (whole <= 0) return [];
    const drawn = renderRow(row, whole, y);
    y += drawn.height + GAP;
    return [drawn.markup];
  });
  return renderFrame(title, y, [renderKey(), ...parts]);
}

function renderRow(row: Row, whole: number, top: number): { readonly markup: Html; readonly height: number } {
  const present = SUBJECTS.filter((subject) => row.spreads[subject] !== undefined);
  const height = present.length * BAR;
  const bars = present.map((subject, index) => renderBar(row, subject, whole, top + index * BAR));
  const { bar } = row.metric;
  const mark =
    bar !== undefined &&
    html`<line x1="${round(toX(bar))}" x2="${round(toX(bar))}" y1="${top - 3}" y2="${top + height + 3}" stroke="#c0392b" stroke-dasharray="3 2"/>`;
  const label = html`<text x="${LABEL - 8}" y="${round(top + height / 2 + 4)}" text-anchor="end">${row.metric.title}</text>`;
  return { markup: html`${label}${bars}${mark}`, height };
}

function renderBar(row: Row, subject: Subject, whole: number, y: number): Html {
  const spread = row.spreads[subject];
  if (spread === undefined) return html``;
  const middle = y + BAR / 2;
  const [low, end, high] = [spread.min, spread.median, spread.max].map((value) =>
    toX(Math.max(0, value) / whole),
  );
  const text = `${renderSpread(spread, row.metric.unit)} ${row.metric.unit}`;
  return html`<rect x="${LABEL}" y="${y}" width="${round((end ?? LABEL) - LABEL)}" height="${BAR - 1}" fill="${COLOURS[subject]}"/><line x1="${round(low ?? 0)}" x2="${round(high ?? 0)}" y1="${middle}" y2="${middle}" stroke="#222"/><text x="${WIDTH - NUMBERS + 8}" y="${y + BAR - 2}" font-size="10">${text}</text>`;
}

function renderKey(): Html {
  const entries = SUBJECTS.map(
    (subject, index) =>
      html`<rect x="${LABEL + index * 110}" y="24" width="10" height="10" fill="${COLOURS[subject]}"/><text x="${LABEL + index * 110 + 14}" y="33" font-size="11">${NAMES[subject]}</text>`,
  );
  return html`${entries}<text x="${LABEL + 330}" y="33" font-size="11" fill="#c0392b">┆ at most</text>`;
}

function renderFrame(title: string, height: number, parts: readonly Html[]): string {
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/><text x="12" y="18" font-size="14" font-weight="bold">${title}</text>${parts}</svg>`}\n`;
}

/** A point in time in seconds, and what was measured then. */
export type Course = readonly (readonly [seconds: number, value: number])[];

const COURSE_HEIGHT = 260;

/** Values over time, such as memory under churn, of each kubelet; the axis begins at zero. */
export function renderCourse(title: string, courses: Readonly<Partial<Record<Subject, Course>>>): string {
  const drawn = SUBJECTS.flatMap((subject) => {
    const course = courses[subject];
    return course === undefined || course.length === 0 ? [] : [{ subject, course }];
  });
  const points = drawn.flatMap(({ course }) => course);
  const [lastX, top] = [
    Math.max(1, ...points.map(([x]) => x)),
    Math.max(1, ...points.map(([, y]) => y)) * 1.1,
  ];
  const [left, bottom] = [60, COURSE_HEIGHT - 30];
  const x = (seconds: number): string => round(left + (seconds / lastX) * (WIDTH - left - 20));
  const y = (value: number): string => round(bottom - (value / top) * (bottom - TOP));
  const lines = drawn.map(
    ({ subject, course }) =>
      html`<polyline fill="none" stroke="${COLOURS[subject]}" stroke-width="1.5" points="${course.map(([seconds, value]) => `${x(seconds)},${y(value)}`).join(' ')}"/>`,
  );
  const marks = [0, 0.5, 1].map(
    (share) =>
      html`<text x="${left - 6}" y="${y(top * share)}" text-anchor="end" font-size="10">${Math.round(top * share)}</text><text x="${x(lastX * share)}" y="${bottom + 16}" text-anchor="middle" font-size="10">${Math.round((lastX * share) / 60)} min</text>`,
  );
  return renderFrame(title, COURSE_HEIGHT, [renderKey(), ...lines, ...marks]);
}
