/** One pod: how it is and why, what it uses, its containers. No environment, no commands, no annotations: they may hold secrets. */
import { type Html, html } from '../../../base/text/html.ts';
import type { ContainerStatus } from '../../../core/api/pod-status.ts';
import { allContainersOf } from '../../../core/model/pod-containers.ts';
import type { TopReport } from '../../../core/stats/top.ts';
import { renderCpu, renderMemory } from './amounts.ts';
import { renderExplanation } from './explanation-view.ts';
import { renderAge } from './moments.ts';
import { highestOf, renderPlot } from './plot.ts';
import { renderState } from './pods-view.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import type { ViewContext } from './view-context.ts';
import type { Tone, ViewedPod } from './viewed-pod.ts';

export function renderPodSummary(
  facts: ViewedPod,
  usage: TopReport | undefined,
  context: ViewContext,
): Section {
  const { pod, row, tone, explanation } = facts;
  const { pods: words, pod: own, layout } = context.text;
  const { namespace, name } = pod.metadata;
  const list: readonly (readonly [string, Html])[] = [
    [words.namespace, html`${namespace}`],
    [words.state, renderState(row.status, tone)],
    [words.ready, html`${row.readyCount}/${row.containerCount}`],
    [words.restarts, html`${row.restartCount}`],
    [words.age, renderAge(row.bornMs, context)],
    [own.address, html`${pod.status.podIP ?? layout.none}`],
    ...toUsage(pod.metadata.uid, usage, context),
  ];
  const why =
    explanation === undefined ? '' : html`<p class="why">${renderExplanation(explanation, context)}</p>`;
  const items = list.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`);
  return toSection('pod', name, html`${why}<dl class="facts">${items}</dl>`);
}

function toUsage(
  uid: string,
  report: TopReport | undefined,
  { text: { node: words }, nowMs }: ViewContext,
): (readonly [string, Html])[] {
  const used = report?.pods.find((pod) => pod.uid === uid);
  if (report === undefined || used === undefined) return [];
  const { cpuNanoCores, memoryBytes, history } = used;
  const timesMs = report.historyMs;
  const cpu = renderCpu(cpuNanoCores, words.measuring);
  const memory = renderMemory(memoryBytes, words.measuring);
  const mostCpu = renderCpu(highestOf(history.cpuNanoCores), '–');
  const mostMemory = renderMemory(highestOf(history.memoryBytes), '–');
  return [
    [
      words.cpu,
      html`${cpu} ${renderPlot({ timesMs, values: history.cpuNanoCores }, nowMs, words.plot(words.cpu, cpu, mostCpu))}`,
    ],
    [
      words.memory,
      html`${memory} ${renderPlot({ timesMs, values: history.memoryBytes }, nowMs, words.plot(words.memory, memory, mostMemory))}`,
    ],
  ];
}

/** `shown` is the one whose log is shown. */
export function renderContainers(facts: ViewedPod, shown: string, context: ViewContext): Section {
  const { pod: words, pods, layout } = context.text;
  const columns: readonly Column[] = [
    { title: words.container },
    { title: pods.state },
    { title: pods.ready, kind: 'wide' },
    { title: pods.restarts, kind: 'number' },
    { title: words.image, kind: 'wide' },
  ];
  const { metadata, status } = facts.pod;
  const rows = allContainersOf(facts.pod).map(({ name, image }) => {
    const known = findStatus(status, name);
    const { words: state, tone } = describeContainer(known, layout.unknown);
    const href = context.links.to(['pods', metadata.namespace, metadata.name], {
      uid: metadata.uid,
      container: name,
    });
    const current = name === shown ? 'true' : 'false';
    const cells = renderCells(columns, [
      html`<a href="${href}#log" aria-current="${current}">${name}</a>`,
      renderState(state, tone),
      known?.ready === true ? '✓' : '–',
      known?.restartCount ?? 0,
      image ?? '',
    ]);
    return html`<tr>${cells}</tr>`;
  });
  return toSection('containers', words.containers, renderHtmlTable(words.containers, columns, rows));
}

/** The log itself comes by the script, or by the link. `data-key` changes when another instance runs. */
export function renderLog({ pod }: ViewedPod, container: string, context: ViewContext): Section {
  const { pod: words } = context.text;
  const { namespace, name, uid } = pod.metadata;
  const address = (query: Readonly<Record<string, string>>): string =>
    context.links.to(['logs', namespace, name, container], { uid, ...query });
  const key = findStatus(pod.status, container)?.containerID ?? '';
  const title = words.logOf(container);
  return toSection(
    'log',
    title,
    html`<p><label><input type="checkbox" id="log-follow" checked> ${words.follow}</label> <a href="${address({})}">${words.plainLog}</a></p>
<pre id="log-text" data-keep tabindex="0" role="log" aria-live="off" aria-labelledby="log-title" data-src="${address({ follow: '1' })}" data-key="${key}" data-ended="${words.logEnded}"></pre>`,
  );
}

function findStatus(
  {
    initContainerStatuses = [],
    containerStatuses = [],
    ephemeralContainerStatuses = [],
  }: ViewedPod['pod']['status'],
  name: string,
): ContainerStatus | undefined {
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.find((status) => status.name === name);
}

function describeContainer(
  status: ContainerStatus | undefined,
  unknown: string,
): { readonly words: string; readonly tone: Tone } {
  const { running, waiting, terminated } = status?.state ?? {};
  if (running !== undefined)
    return { words: 'Running', tone: status?.ready === true || status?.started === true ? 'good' : 'busy' };
  if (terminated !== undefined) {
    const { reason, exitCode } = terminated;
    const words = exitCode === 0 ? (reason ?? 'Completed') : `${reason ?? 'Error'} (${exitCode})`;
    return { words, tone: exitCode === 0 ? 'done' : 'bad' };
  }
  if (waiting?.reason === undefined) return { words: unknown, tone: 'busy' };
  return { words: waiting.reason, tone: /BackOff|Err|Invalid/.test(waiting.reason) ? 'bad' : 'busy' };
}
