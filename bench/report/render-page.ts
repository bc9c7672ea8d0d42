/** The page of the last run: the machine, the table, the pictures, how it was measured. Pure. */
import type { Group, Metric, Subject } from '../metrics.ts';
import { type Row, type Turn, toRows } from './compare.ts';
import { type Course, renderCourse, renderPlot } from './render-plot.ts';
import { renderTable } from './render-table.ts';

export interface Machine {
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly runtime: string;
  /** Average number of runnable tasks over a minute, at the begin of each turn. */
  readonly loads: readonly number[];
}

/** Everything a run leaves: the page can be written again from it. */
export interface RunRecord {
  readonly startedAt: string;
  readonly counts: readonly number[];
  readonly machine: Machine;
  readonly turns: readonly Turn[];
  /** Resident memory in MiB under churn. */
  readonly churn: Readonly<Partial<Record<Subject, Course>>>;
}

const PLOTS: Readonly<Record<Exclude<Group, 'count'>, string>> = {
  start: 'From create to Ready',
  cpu: 'CPU time of the kubelet',
  rest: 'At rest',
  end: 'From delete to gone',
  reaction: 'Reactions',
  load: 'Under load',
};

/** File names and their contents. */
export function renderFiles(record: RunRecord, metrics: readonly Metric[]): Readonly<Record<string, string>> {
  const rows = toRows(metrics, record.turns);
  const plots = Object.entries(PLOTS).flatMap(([group, title]) => {
    const own = rows.filter((row) => row.metric.group === group && (row.spreads.upstream?.median ?? 0) > 0);
    return own.length === 0 ? [] : [[`${group}.svg`, renderPlot(title, own)] as const];
  });
  const hasChurn = Object.keys(record.churn).length > 0;
  const course = hasChurn
    ? [['churn.svg', renderCourse('Resident memory under churn, MiB', record.churn)] as const]
    : [];
  const pictures = [...plots, ...course];
  const page = renderPage(
    record,
    rows,
    pictures.map(([name]) => name),
  );
  return { ...Object.fromEntries(pictures), 'README.md': page, 'run.json': `${JSON.stringify(record)}\n` };
}

function renderPage(
  { startedAt, machine, turns }: RunRecord,
  rows: readonly Row[],
  pictures: readonly string[],
): string {
  const rounds = new Set(turns.map(({ round }) => round)).size;
  const loads = machine.loads.map((load) => load.toFixed(1)).join(', ');
  const missed = rows.filter(({ verdict }) => verdict === 'above').length;
  const judged = rows.filter(({ verdict }) => verdict !== undefined).length;
  return `# Ours beside the upstream kubelet

<!-- Written by make bench; do not edit. -->
${startedAt.slice(0, 16).replace('T', ' ')} UTC, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} in turns; ${machine.cores} cores, ${machine.memoryGiB.toFixed(0)} GiB, Linux ${machine.kernel}, ${machine.runtime}. Load of the machine before each turn: ${loads}. A machine that is busy with other work shows in times; CPU and memory of the kubelet itself less so.

${judged - missed} of ${judged} ratios that have a bar are at or below it. Numbers are medians over the rounds, with the lowest and highest in brackets; the ratio is ours divided by upstream's; "no kubelet" is the same pods driven straight through the runtime, four at a time.

${renderTable(rows)}

${pictures.map((name) => `![${name.replace('.svg', '')}](${name})`).join('\n\n')}

Measured by \`make bench\` (\`bench/bench.ts\`): one control plane and one containerd; ours and upstream's kubelet take turns as the node, with the same flags and configuration, the first of a round changing from round to round. Pods have one container and a service account token, and name their node, so that no scheduler takes part. CPU is time on a CPU by the scheduler's count, of all threads. Runtime calls are those each kubelet counts itself (\`kubelet_runtime_operations_total\`), writes those in the audit log of the API server. How to read it: [performance.md](../performance.md).
`;
}
