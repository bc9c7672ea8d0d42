/** The last quarter of an hour as a small plot: a line in a box, without scripts and styles of its own. */
import { type Html, html } from '../../../base/text/html.ts';

export const SHOWN_MS = 15 * 60_000;
const LEAST_MS = 2 * 60_000;
const STEP_MS = 10_000;
const [WIDTH, HEIGHT] = [180, 32];

export interface PlotData {
  /** When each value was measured. */
  readonly timesMs: readonly number[];
  /** Null where it was not. */
  readonly values: readonly (number | null)[];
}

/** For the reader that does not see it: `label`. `most` is the top of the box; the highest value without. */
export function renderPlot(data: PlotData, nowMs: number, label: string, most?: number): Html {
  const path = toPath(data, nowMs, Math.max(most ?? 0, highestOf(data.values), 1));
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${path}"/></svg>`;
}

export function highestOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((highest, value) => Math.max(highest, value ?? 0), 0);
}

/** A gap in the values is one in the line; a value between gaps is a dot. */
function toPath({ timesMs, values }: PlotData, nowMs: number, most: number): string {
  // A page that was opened a moment ago has little to show: the box is as long as that.
  const windowMs = Math.min(SHOWN_MS, Math.max(LEAST_MS, nowMs - (timesMs[0] ?? nowMs)));
  let path = '';
  let isOpen = false;
  for (const [index, value] of values.entries()) {
    const atMs = timesMs[index];
    if (value === null || atMs === undefined || nowMs - atMs > SHOWN_MS) {
      isOpen = false;
      continue;
    }
    const x = Math.round(toX(atMs, nowMs, windowMs) * WIDTH);
    const y = Math.round(HEIGHT - 1 - (value / most) * (HEIGHT - 2));
    path += isOpen ? `L${x} ${y}` : `M${x} ${y}h0`;
    isOpen = true;
  }
  return path;
}

/** From 0, a quarter of an hour ago, to 1, now; in steps, so that a plot is not another one at every look. */
export function toX(atMs: number, nowMs: number, windowMs = SHOWN_MS): number {
  const endMs = Math.ceil(nowMs / STEP_MS) * STEP_MS;
  return Math.min(1, Math.max(0, 1 - (endMs - atMs) / windowMs));
}
