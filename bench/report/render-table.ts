/** The rows as a Markdown table, which is as readable on a terminal. Pure. */
import type { Subject, Unit } from '../metrics.ts';
import type { Row } from './compare.ts';
import type { Spread } from './statistics.ts';

const HEADINGS = [
  'scenario',
  'unit',
  'ours',
  'upstream',
  'ratio',
  'ratio per round',
  'at most',
  '',
  'no kubelet',
];

export function renderTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const spread = (subject: Subject): string => renderSpread(row.spreads[subject], row.metric.unit);
    const verdict = row.verdict === undefined ? '' : row.verdict === 'within' ? 'ok' : '**above**';
    const { ratios } = row;
    return [
      row.metric.title,
      row.metric.unit,
      spread('ours'),
      spread('upstream'),
      renderRatio(row.ratio),
      ratios === undefined || ratios.min === ratios.max
        ? ''
        : `${renderRatio(ratios.min)}–${renderRatio(ratios.max)}`,
      renderRatio(row.metric.bar),
      verdict,
      spread('floor'),
    ];
  });
  return renderCells([HEADINGS, ...cells]);
}

/** The median, and in brackets the lowest and highest where they differ. */
export function renderSpread(spread: Spread | undefined, unit: Unit): string {
  if (spread === undefined) return '';
  const [low, middle, high] = [spread.min, spread.median, spread.max].map((value) =>
    renderNumber(value, unit),
  );
  return low === high ? `${middle}` : `${middle} (${low}–${high})`;
}

const WHOLE: ReadonlySet<Unit> = new Set(['ms', 'KiB', 'times']);

export function renderNumber(value: number, unit: Unit): string {
  return value.toFixed(WHOLE.has(unit) ? 0 : Math.abs(value) >= 100 ? 0 : unit === 's' && value < 10 ? 2 : 1);
}

/** Two digits that count; a bar of a thousandth stays one. */
export function renderRatio(ratio: number | undefined): string {
  if (ratio === undefined || Number.isNaN(ratio)) return '';
  return ratio < 0.01 ? ratio.toPrecision(1) : ratio.toFixed(2);
}

function renderCells(table: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_, column) =>
    Math.max(3, ...table.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [headings = [], ...rows] = table;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(headings), rule, ...rows.map(line)].join('\n');
}
