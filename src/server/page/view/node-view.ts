/** The node at a glance: what it is, how its pods are, what it uses now and used in the last quarter of an hour. */
import { type Html, html } from '../../../base/text/html.ts';
import { renderSize } from '../../../core/collection/image-collection.ts';
import type { Observations } from '../../../core/eviction/observations.ts';
import type { TopReport } from '../../../core/stats/top.ts';
import { renderCpu, renderMemory } from './amounts.ts';
import { highestOf, renderPlot } from './plot.ts';
import { type Section, toSection } from './section.ts';
import type { ViewContext } from './view-context.ts';
import type { ViewedPod } from './viewed-pod.ts';

export interface NodeData {
  readonly name: string;
  readonly version: string;
  readonly manifests: string;
  readonly pods: readonly ViewedPod[];
  /** Undefined until it was measured. */
  readonly usage: TopReport | undefined;
  readonly problems: readonly string[];
  readonly observations: Observations | undefined;
}

export function renderNode(data: NodeData, context: ViewContext): Section {
  const { node: words, layout } = context.text;
  const counted = data.pods.filter(({ tone }) => tone !== 'done');
  const ready = counted.filter(({ tone }) => tone === 'good').length;
  const state =
    data.problems.length === 0
      ? html`<span class="state good">${words.noPressure}</span>`
      : data.problems.map((problem) => html`<span class="state bad">${problem}</span> `);
  const facts: readonly (readonly [string, Html])[] = [
    [words.pods, html`${words.readyOf(ready, counted.length)}`],
    [words.conditions, html`${state}`],
    ...toUsage(data.usage, context),
    ...toDisk(data.observations, context),
    [words.version, html`${data.version}`],
    [words.manifests, html`${data.manifests === '' ? layout.none : data.manifests}`],
  ];
  const list = facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`);
  return toSection('node', `${words.title} ${data.name}`, html`<dl class="facts">${list}</dl>`);
}

function toUsage(usage: TopReport | undefined, { text, nowMs }: ViewContext): (readonly [string, Html])[] {
  const { node: words } = text;
  if (usage === undefined)
    return [words.cpu, words.memory].map((title) => [title, html`${words.measuring}`] as const);
  const { cpuNanoCores, memoryBytes, cores, totalMemoryBytes, history } = usage.node;
  const cpu = renderCpu(cpuNanoCores, words.measuring);
  const memory = renderMemory(memoryBytes, words.measuring);
  const highestCpu = renderCpu(highestOf(history.cpuNanoCores), '–');
  const highestMemory = renderMemory(highestOf(history.memoryBytes), '–');
  const timesMs = usage.historyMs;
  const total = totalMemoryBytes === null ? '' : words.ofMemory(renderMemory(totalMemoryBytes, ''));
  return [
    [
      words.cpu,
      html`${cpu} <small>${words.ofCores(cores)}</small> ${renderPlot({ timesMs, values: history.cpuNanoCores }, nowMs, words.plot(words.cpu, cpu, highestCpu), cores * 1e9)}`,
    ],
    [
      words.memory,
      html`${memory} <small>${total}</small> ${renderPlot({ timesMs, values: history.memoryBytes }, nowMs, words.plot(words.memory, memory, highestMemory), totalMemoryBytes ?? undefined)}`,
    ],
  ];
}

/** As eviction last measured it. */
function toDisk(observations: Observations | undefined, { text }: ViewContext): (readonly [string, Html])[] {
  const disk = observations?.get('nodefs.available');
  if (disk === undefined || disk.capacity <= 0) return [];
  const used = disk.capacity - disk.available;
  const percent = Math.round((used / disk.capacity) * 100);
  const total = text.node.ofMemory(renderSize(disk.capacity));
  return [[text.node.disk, html`${percent} % <small>${total}</small>`]];
}
