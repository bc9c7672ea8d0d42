/** `top`: CPU and memory of pods, containers or the node; with `-w` again and again, with `-o wide` over time. */
import { setTimeout as wait } from 'node:timers/promises';
import { AgentError } from '../../base/errors.ts';
import type { TopHistory, TopPod, TopReport, TopUsage } from '../../core/stats/top.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument, renderInStream } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

export type TopSubject = 'pods' | 'containers' | 'node';

/** How often `-w` looks: as often as the kubelet measures for others. */
const WATCH_MS = 5_000;
const MIB = 1024 ** 2;
const UNKNOWN = '<unknown>';
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const BAR_COUNT = 30;

export async function showTop(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const { watch, output } = asked.options;
  for (let round = 0; ; round++) {
    const report = choose(await client.getJson<TopReport>('/top'), context);
    if (isDocument(output))
      printText(
        host.stdout,
        watch ? await renderInStream(report, output) : await renderDocument(report, output),
      );
    else printPainted(host, `${round > 0 ? '\n' : ''}${renderTop(report, context)}`, 'table');
    if (!watch) return 0;
    const isOver = await wait(WATCH_MS, false, { signal: host.signal }).catch(() => true);
    if (isOver) return 0;
  }
}

/** The pods that were asked for. Rejects with AgentError when one was named that does not run. */
function choose(report: TopReport, { asked }: CliContext): TopReport {
  const { namespace, allNamespaces, sortBy } = asked.options;
  const [subject, name] = asked.words;
  if (subject === 'node') return { ...report, pods: [] };
  const isIn = (pod: TopPod): boolean =>
    namespace === undefined || allNamespaces || pod.namespace === namespace;
  const isNamed = (pod: TopPod): boolean =>
    name === undefined ||
    [pod.name, `${pod.namespace}/${pod.name}`, pod.uid].includes(name) ||
    pod.name === `${name}-${report.node.name}`;
  const pods = report.pods.filter((pod) => isIn(pod) && isNamed(pod)).toSorted(toOrder(sortBy));
  if (name !== undefined && pods.length === 0)
    throw new AgentError('not-found', `no pod ${JSON.stringify(name)} runs here`);
  return { ...report, pods };
}

function toOrder(sortBy: string | undefined): (a: TopPod, b: TopPod) => number {
  const byName = (a: TopPod, b: TopPod): number =>
    `${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1;
  if (sortBy === 'cpu') return (a, b) => (b.cpuNanoCores ?? 0) - (a.cpuNanoCores ?? 0) || byName(a, b);
  if (sortBy === 'memory') return (a, b) => (b.memoryBytes ?? 0) - (a.memoryBytes ?? 0) || byName(a, b);
  return byName;
}

function renderTop(report: TopReport, { asked }: Pick<CliContext, 'asked'>): string {
  const { noHeaders, output } = asked.options;
  const subject = asked.words[0] as TopSubject;
  const { titles, rows } = TABLES[subject](report, output === 'wide');
  return renderTable([...(noHeaders ? [] : [titles]), ...rows]);
}

interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const TABLES: Readonly<Record<TopSubject, (report: TopReport, wide: boolean) => Table>> = {
  pods: ({ pods }, wide) => ({
    titles: ['NAMESPACE', 'NAME', 'CPU(cores)', 'MEMORY(bytes)', ...pastTitles(wide)],
    rows: pods.map((pod) => [pod.namespace, pod.name, ...toUsageCells(pod), ...toPast(pod.history, wide)]),
  }),
  containers: ({ pods }) => ({
    titles: ['NAMESPACE', 'POD', 'NAME', 'CPU(cores)', 'MEMORY(bytes)'],
    rows: pods.flatMap((pod) =>
      pod.containers.map((container) => [
        pod.namespace,
        pod.name,
        container.name,
        ...toUsageCells(container),
      ]),
    ),
  }),
  node: ({ node }, wide) => {
    const [cpu, memory] = toUsageCells(node);
    const cpuShare = toPercent(node.cpuNanoCores, node.cores * 1e9);
    const memoryShare = toPercent(node.memoryBytes, node.totalMemoryBytes);
    return {
      titles: ['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)', ...pastTitles(wide)],
      rows: [[node.name, cpu, cpuShare, memory, memoryShare, ...toPast(node.history, wide)]],
    };
  },
};

/** As kubectl prints them. */
export function toUsageCells({ cpuNanoCores, memoryBytes }: TopUsage): [cpu: string, memory: string] {
  return [
    cpuNanoCores === null ? UNKNOWN : `${Math.ceil(cpuNanoCores / 1e6)}m`,
    memoryBytes === null ? UNKNOWN : `${Math.floor(memoryBytes / MIB)}Mi`,
  ];
}

function toPercent(part: number | null, whole: number | null): string {
  return part === null || whole === null || whole === 0 ? UNKNOWN : `${Math.floor((part / whole) * 100)}%`;
}

function pastTitles(wide: boolean): string[] {
  return wide ? ['CPU(15m)', 'MEMORY(15m)'] : [];
}

function toPast({ cpuNanoCores, memoryBytes }: TopHistory, wide: boolean): string[] {
  return wide ? [renderBars(cpuNanoCores), renderBars(memoryBytes)] : [];
}

/** The newest at the right; the highest of them is a full bar, what was not measured a gap. */
function renderBars(values: readonly (number | null)[]): string {
  const shown = thin(values);
  const highest = Math.max(0, ...shown.map((value) => value ?? 0));
  if (shown.every((value) => value === null)) return UNKNOWN;
  return shown
    .map((value) => {
      if (value === null) return ' ';
      const level = highest === 0 ? 0 : Math.round((value / highest) * (BARS.length - 1));
      return BARS[level] ?? '';
    })
    .join('');
}

/** The highest of neighbours, so that a peak stays one. */
function thin(values: readonly (number | null)[]): (number | null)[] {
  const width = Math.max(1, Math.ceil(values.length / BAR_COUNT));
  const groups = Array.from({ length: Math.ceil(values.length / width) }, (_, index) =>
    values.slice(index * width, (index + 1) * width).filter((value) => value !== null),
  );
  return groups.map((group) => (group.length === 0 ? null : Math.max(...group)));
}
