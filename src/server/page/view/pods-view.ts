/** The pods of the node as a table; below each that is not ready the sentence that says why. Rejected manifests are rows too. */
import { basename } from 'node:path';
import { type Html, html } from '../../../base/text/html.ts';
import type { Rejection } from '../../../core/manifest/rejection.ts';
import type { TopPod, TopReport } from '../../../core/stats/top.ts';
import { renderCpu, renderMemory } from './amounts.ts';
import { renderExplanation } from './explanation-view.ts';
import { renderAge } from './moments.ts';
import { renderPlot } from './plot.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import { toPart, type ViewContext } from './view-context.ts';
import type { Tone, ViewedPod } from './viewed-pod.ts';

export interface PodsData {
  readonly pods: readonly ViewedPod[];
  readonly rejected: readonly (Rejection & { readonly sinceMs: number })[];
  /** Undefined until it was measured. */
  readonly usage: TopReport | undefined;
}

export function renderPods(data: PodsData, context: ViewContext): Section {
  const { pods: words } = context.text;
  if (data.pods.length + data.rejected.length === 0)
    return toSection('pods', words.title, html`<p>${words.empty}</p>`);
  const columns = toColumns(context);
  const usage = new Map(data.usage?.pods.map((pod) => [pod.uid, pod]));
  const rows = [
    ...data.rejected.map((rejection) => renderRejected(rejection, columns, context)),
    ...data.pods.map((facts) => {
      const used = usage.get(facts.pod.metadata.uid);
      return renderPod(facts, renderUsage(used, data.usage, context), columns, context);
    }),
  ];
  return toSection('pods', words.title, renderHtmlTable(words.title, columns, rows));
}

function toColumns({ text }: ViewContext): readonly Column[] {
  const { pods, node } = text;
  return [
    { title: pods.name },
    { title: pods.namespace, kind: 'wide' },
    { title: pods.state },
    { title: pods.ready, kind: 'wide number' },
    { title: pods.restarts, kind: 'number' },
    { title: pods.age, kind: 'number' },
    { title: node.cpu, kind: 'wide number' },
    { title: node.memory, kind: 'wide number' },
  ];
}

function renderPod(
  { pod, row, tone, explanation }: ViewedPod,
  usage: readonly [cpu: Html, memory: Html],
  columns: readonly Column[],
  context: ViewContext,
): Html {
  const { namespace, name, uid } = pod.metadata;
  const id = toPart(uid);
  const { restartCount, lastEndMs } = row;
  const ago =
    restartCount === 0 || lastEndMs === undefined
      ? ''
      : html` <small class="wide">(${renderAge(lastEndMs, context)} ${context.text.pods.lastAgo})</small>`;
  const cells = renderCells(columns, [
    html`<a href="${context.links.to(['pods', namespace, name], { uid })}">${name}</a>`,
    namespace,
    renderState(row.status, tone),
    `${row.readyCount}/${row.containerCount}`,
    html`${restartCount}${ago}`,
    renderAge(row.bornMs, context),
    ...usage,
  ]);
  const why =
    explanation === undefined
      ? ''
      : renderWhy(`why-${id}`, renderExplanation(explanation, context), columns.length);
  return html`<tr id="pod-${id}">${cells}</tr>${why}`;
}

function renderRejected(
  { subject, file, line, why, sinceMs }: PodsData['rejected'][number],
  columns: readonly Column[],
  context: ViewContext,
): Html {
  const kind = subject === undefined || subject.kind === 'Pod' ? '' : `${subject.kind.toLowerCase()}/`;
  const name = subject === undefined ? basename(file) : `${kind}${subject.name}`;
  const place = line === undefined ? file : `${file}:${line}`;
  const cells = renderCells(columns, [
    name,
    subject?.namespace ?? '',
    renderState(context.text.pods.rejected, 'bad'),
    '–',
    '–',
    renderAge(sinceMs, context),
    '',
    '',
  ]);
  const id = toPart(`rejected-${place}-${name}`);
  return html`<tr id="${id}">${cells}</tr>${renderWhy(`why-${id}`, html`${place}: ${why}`, columns.length)}`;
}

/** Under the row it explains. */
function renderWhy(id: string, sentence: Html, width: number): Html {
  return html`<tr id="${id}" class="why"><td colspan="${width}">${sentence}</td></tr>`;
}

/** The sign says the same as the colour. */
export function renderState(words: string, tone: Tone): Html {
  return html`<span class="state ${tone}">${words}</span>`;
}

function renderUsage(
  used: TopPod | undefined,
  report: TopReport | undefined,
  { nowMs, text }: ViewContext,
): [cpu: Html, memory: Html] {
  if (used === undefined || report === undefined) return [html``, html``];
  const { cpuNanoCores, memoryBytes, history } = used;
  const cpu = renderCpu(cpuNanoCores, '–');
  const highest = renderCpu(Math.max(0, ...history.cpuNanoCores.map((value) => value ?? 0)), '–');
  const data = { timesMs: report.historyMs, values: history.cpuNanoCores };
  return [
    html`${renderPlot(data, nowMs, text.node.plot(text.node.cpu, cpu, highest))} ${cpu}`,
    html`${renderMemory(memoryBytes, '–')}`,
  ];
}
