/**
 * The times of kubeadm runs, side by side, one column for each file.
 *
 * usage: node test/kubeadm/times.ts FILE[.json]…        (files that kubeadm.ts wrote)
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Seconds by what took them, in the order of the run. */
export type Times = Readonly<Record<string, number>>;

export function writeTimes(file: string, times: Times): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(times, undefined, 2)}\n`);
}

/** Rows in the order of the first column that has them; what a run did not reach is a dash. */
export function renderTimes(columns: ReadonlyMap<string, Times>): string {
  const names = [...new Set([...columns.values()].flatMap((times) => Object.keys(times)))];
  const width = Math.max(0, ...names.map((name) => name.length));
  const head = [''.padEnd(width), ...[...columns.keys()].map((kind) => kind.padStart(10))].join('  ');
  const rows = names.map((name) => {
    const cells = [...columns.values()].map((times) => {
      const seconds = times[name];
      return (seconds === undefined ? '–' : `${seconds.toFixed(1)} s`).padStart(10);
    });
    return [name.padEnd(width), ...cells].join('  ');
  });
  return [head, ...rows].join('\n');
}

if (import.meta.main) {
  const columns = new Map<string, Times>();
  for (const word of process.argv.slice(2)) {
    const file = word.endsWith('.json') ? word : `${word}.json`;
    columns.set(basename(file, '.json'), existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
  }
  process.stdout.write(`${renderTimes(columns)}\n`);
}
