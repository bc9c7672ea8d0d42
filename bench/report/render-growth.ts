/**
 * What each pod costs by how many there are: a Markdown table, and a picture
 * of three panels side by side (CPU of a pod, memory of a pod, CPU at rest),
 * in which a cost that grows with the number of pods is a line that rises. Pure.
 */
import { type Html, html } from '../../src/base/text/html.ts';

export interface Growth {
  readonly pods: number;
  /** CPU time of each pod. */
  readonly startMs: number;
  readonly endMs: number;
  /** With all pods; thousandths of a core. */
  readonly restMillicores: number;
  /** Memory without pods, with all of them, and when they have ended. */
  readonly emptyMiB: number;
  readonly fullMiB: number;
  readonly leftMiB: number;
}

const KIB = 1024;
const PANEL = { width: 300, height: 240, left: 46, right: 14, top: 52, bottom: 36 };
const COLOURS = ['#2f6fde', '#d9822b'] as const;

/** Beyond what the kubelet holds without any. */
function toKiBPerPod({ pods, emptyMiB, fullMiB }: Growth): number {
  return ((fullMiB - emptyMiB) * KIB) / pods;
}

export function renderGrowthTable(growth: readonly Growth[]): string {
  const rows = growth.map((one) => {
    const memory = [one.emptyMiB, one.fullMiB, one.leftMiB].map((mib) => mib.toFixed(0)).join(' · ');
    const cells = [one.startMs.toFixed(1), one.endMs.toFixed(1), one.restMillicores.toFixed(1), memory];
    return `| ${[one.pods, ...cells, toKiBPerPod(one).toFixed(0)].join(' | ')} |`;
  });
  return [
    '| Pods | CPU to start one, ms | to end one, ms | At rest, millicores | Memory before · with · after, MiB | Each pod, KiB |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

export function renderGrowth(growth: readonly Growth[]): string {
  const panels = [
    renderPanel(0, 'CPU of a pod, ms', growth, [
      ['start', ({ startMs }) => startMs],
      ['end', ({ endMs }) => endMs],
    ]),
    renderPanel(1, 'memory of a pod, KiB', growth, [['with all pods', toKiBPerPod]]),
    renderPanel(2, 'CPU at rest, millicores', growth, [['with all pods', (one) => one.restMillicores]]),
  ];
  const title = 'What a pod costs the kubelet, by how many there are';
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${3 * PANEL.width} ${PANEL.height}" font-family="sans-serif" font-size="11" role="img"><title>${title}</title><rect width="100%" height="100%" fill="#fff"/><text x="12" y="16" font-size="13" font-weight="bold">${title}</text>${panels}</svg>`}\n`;
}

type Curve = readonly [name: string, of: (one: Growth) => number];

/** Both axes begin at zero. */
function renderPanel(
  index: number,
  title: string,
  growth: readonly Growth[],
  curves: readonly Curve[],
): Html {
  const { width, height, left, right, top, bottom } = PANEL;
  const mostPods = Math.max(1, ...growth.map(({ pods }) => pods));
  const most = Math.max(1, ...curves.flatMap(([, of]) => growth.map(of))) * 1.15;
  const x = (pods: number): string =>
    (index * width + left + (pods / mostPods) * (width - left - right)).toFixed(1);
  const y = (value: number): string =>
    (height - bottom - (Math.max(0, value) / most) * (height - top - bottom)).toFixed(1);
  const lines = curves.map(([name, of], curve) => {
    const points = growth.map((one) => `${x(one.pods)},${y(of(one))}`).join(' ');
    const last = growth.at(-1);
    const label =
      last !== undefined &&
      html`<text x="${x(last.pods)}" y="${Number(y(of(last))) - 6}" text-anchor="end" fill="${COLOURS[curve]}">${name} ${of(last).toFixed(1)}</text>`;
    return html`<polyline fill="none" stroke="${COLOURS[curve]}" stroke-width="2" points="${points}"/>${label}`;
  });
  const marks = growth.map(
    ({ pods }) => html`<text x="${x(pods)}" y="${height - bottom + 14}" text-anchor="middle">${pods}</text>`,
  );
  const heights = [0, most / 2, most].map(
    (value) =>
      html`<line x1="${x(0)}" x2="${x(mostPods)}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/><text x="${Number(x(0)) - 4}" y="${Number(y(value)) + 4}" text-anchor="end">${value.toFixed(0)}</text>`,
  );
  const name = html`<text x="${index * width + left}" y="${top - 14}" font-weight="bold">${title}</text>`;
  const below = html`<text x="${x(mostPods / 2)}" y="${height - 6}" text-anchor="middle">pods</text>`;
  return html`${name}${heights}${lines}${marks}${below}`;
}
