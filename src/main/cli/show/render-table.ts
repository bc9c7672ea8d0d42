/** Tables as kubectl prints them: columns three spaces apart, no lines. A cell cannot leave its row. */
import { escapeLine } from '../../../base/text/terminal-text.ts';

const GAP = '   ';

/** Ends in a newline; the first row is the titles. `widths` keeps columns in place over several calls. */
export function renderTable(given: readonly (readonly string[])[], widths: number[] = []): string {
  const rows = given.map((row) => row.map(escapeLine));
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  const lines = rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
