/** The sub-commands that only look: get, describe and events. */

import { escapeLine } from '../../base/text/terminal-text.ts';
import type { ApiEvent } from '../../core/events/api-event.ts';
import type { ResourceReport } from '../../core/numa-memory/resource-report.ts';
import type { WatchLine } from '../../server/http/watch-stream.ts';
import type { PodExplanation } from '../../server/pods/explain-route.ts';
import type { ListedRejection } from '../../server/pods/rejected-list.ts';
import { type CliPod, DEFAULT_NAMESPACE } from './ask/choose-pod.ts';
import type { CliContext, CliHost } from './ask/cli-context.ts';
import { readExplanation } from './cli-explain.ts';
import { readPod, readPods, renderNone, toPodFilter } from './cli-pod.ts';
import { readRejected, toRejectedCells } from './cli-rejected.ts';
import { toAssigned } from './cli-resources.ts';
import { renderTemplate } from './print-list.ts';
import { renderDescription } from './show/describe-pod.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument, renderInStream } from './show/render-document.ts';
import { eventTitles, toEventCells } from './show/render-events.ts';
import { comparePods, type PodTableOptions, podTitles, toPodCells } from './show/render-pods.ts';
import { renderTable } from './show/render-table.ts';

/** Room for what comes: the rows of a watch are printed one by one. */
const WATCH_WIDTHS: Readonly<Record<string, number>> = {
  NAMESPACE: 12,
  NAME: 24,
  STATUS: 17,
  RESTARTS: 13,
  AGE: 5,
  IP: 15,
};

export async function listPods(context: CliContext): Promise<number> {
  const { asked, host } = context;
  const { options, words } = asked;
  const one = words.length > 0 ? await readPod(context) : undefined;
  const isWanted =
    one === undefined ? toPodFilter(context) : ({ metadata }: CliPod) => metadata.uid === one.metadata.uid;
  if (options.watch) return watchPods(context, isWanted);
  const pods = (await readPods(context)).filter(isWanted).toSorted(comparePods);
  const items = pods.map((pod) => ({ apiVersion: 'v1', kind: 'Pod', ...pod }));
  const list = { apiVersion: 'v1', kind: 'List', items, metadata: {} };
  if (options.template !== undefined) {
    const document = one === undefined ? list : items[0];
    printText(host.stdout, renderTemplate(options.template, document, items, options.noHeaders));
    return 0;
  }
  if (isDocument(options.output)) {
    printText(host.stdout, await renderDocument(one === undefined ? list : items[0], options.output));
    return 0;
  }
  if (options.output === 'name') {
    printText(host.stdout, pods.map(({ metadata }) => `pod/${escapeLine(metadata.name)}\n`).join(''));
    return 0;
  }
  // What cannot be read has no labels.
  const rejected =
    one === undefined && options.selector === undefined
      ? (await readRejected(context)).filter(isShown(context))
      : [];
  if (pods.length + rejected.length === 0) {
    printText(host.stderr, renderNone(context));
    return 0;
  }
  const table = await toTableOptions(context);
  const titles = options.noHeaders ? [] : [podTitles(table)];
  const rows = [
    ...pods.map((pod) => toPodCells(pod, table)),
    ...rejected.map((item) => toRejectedCells(item, table)),
  ];
  printPainted(host, renderTable([...titles, ...rows]), 'table');
  if (rejected.length > 0) printText(host.stderr, "See 'kubelet explain' for why manifests were rejected.\n");
  return 0;
}

async function watchPods(context: CliContext, isWanted: (pod: CliPod) => boolean): Promise<number> {
  const { client, asked, host } = context;
  const { output, noHeaders } = asked.options;
  const widths: number[] = [];
  // The rows there are decide the columns, before the first of them is printed.
  const known = isDocument(output) ? [] : (await readPods(context)).filter(isWanted);
  const lines = await client.openLines<WatchLine>('/pods?watch=1', host.signal);
  if (!isDocument(output)) {
    const table = await toTableOptions(context);
    const titles = podTitles(table);
    widths.push(...titles.map((title) => WATCH_WIDTHS[title] ?? title.length));
    renderTable(
      known.map((pod) => toPodCells(pod, table)),
      widths,
    );
    if (!noHeaders) printPainted(host, renderTable([titles], widths), 'table');
  }
  for await (const { object, type } of lines) {
    const pod = object as CliPod;
    if (!isWanted(pod)) continue;
    if (isDocument(output)) {
      printText(host.stdout, await renderInStream({ apiVersion: 'v1', kind: 'Pod', ...pod }, output));
      continue;
    }
    const table = await toTableOptions(context);
    const statusAt = podTitles(table).indexOf('STATUS');
    const cells = toPodCells(pod, table).map((cell, index) =>
      type === 'DELETED' && index === statusAt ? 'Deleted' : cell,
    );
    printPainted(host, renderTable([cells], widths), 'table');
  }
  return endWatch(host);
}

/** A watch has no end of its own: the agent went, or the user wants no more. */
function endWatch({ signal, stderr }: CliHost): number {
  if (signal.aborted) return 0;
  printText(stderr, 'error: the kubelet has ended the watch: it stops or restarts\n');
  return 1;
}

async function toTableOptions({ client, asked, host }: CliContext): Promise<PodTableOptions> {
  const { items } = await client.getJson<{ items: PodExplanation[] }>('/explain');
  return {
    wide: asked.options.output === 'wide',
    withNamespace: asked.options.allNamespaces,
    nowMs: host.now(),
    explanations: new Map(items.map((item) => [item.uid, item])),
  };
}

export async function printDescription(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const pod = await readPod(context);
  const { output } = asked.options;
  if (isDocument(output)) {
    printText(host.stdout, await renderDocument({ apiVersion: 'v1', kind: 'Pod', ...pod }, output));
    return 0;
  }
  const explanation = await readExplanation(context, pod);
  const { items } = await client.getJson<{ items: ApiEvent[] }>('/events');
  const events = items.filter(({ involvedObject }) => involvedObject.uid === pod.metadata.uid);
  const assigned = toAssigned(await client.getJson<ResourceReport>('/resources'), pod.metadata);
  printText(host.stdout, renderDescription({ pod, explanation, events, assigned, nowMs: host.now() }));
  return 0;
}

export async function listEvents(context: CliContext): Promise<number> {
  const { client, asked, host } = context;
  const { options, words } = asked;
  const uid = words.length > 0 ? (await readPod(context)).metadata.uid : undefined;
  const isWanted = ({ involvedObject, metadata }: ApiEvent): boolean =>
    uid === undefined
      ? options.namespace === undefined || metadata.namespace === options.namespace
      : involvedObject.uid === uid;
  const withNamespace = uid === undefined && options.namespace === undefined;
  const cells = (event: ApiEvent): string[] => toEventCells(event, host.now(), withNamespace);
  const titles = options.noHeaders ? [] : [eventTitles(withNamespace)];
  if (!options.watch) {
    const list = await client.getJson<{ items: ApiEvent[] }>('/events');
    const items = list.items.filter(isWanted);
    if (isDocument(options.output))
      printText(host.stdout, await renderDocument({ ...list, items }, options.output));
    else if (items.length === 0) printText(host.stderr, 'No events found.\n');
    else printPainted(host, renderTable([...titles, ...items.map(cells)]), 'events');
    return 0;
  }
  const widths: number[] = [];
  const lines = await client.openLines<WatchLine>('/events?watch=1', host.signal);
  if (!isDocument(options.output)) printPainted(host, renderTable(titles, widths), 'events');
  for await (const { type, object } of lines) {
    const event = object as ApiEvent;
    if (type === 'DELETED' || !isWanted(event)) continue;
    if (isDocument(options.output)) printText(host.stdout, await renderInStream(event, options.output));
    else printPainted(host, renderTable([cells(event)], widths), 'events');
  }
  return endWatch(host);
}

function isShown({ asked }: CliContext): (rejection: ListedRejection) => boolean {
  const { allNamespaces, namespace = DEFAULT_NAMESPACE } = asked.options;
  return ({ subject }) => allNamespaces || (subject?.namespace ?? DEFAULT_NAMESPACE) === namespace;
}
