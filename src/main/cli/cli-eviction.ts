/** `explain --eviction`: how near the node is to each threshold, which pod would go first, and what that would free. */
import { renderSize } from '../../core/collection/image-collection.ts';
import type { EvictionCandidate, SignalPlan } from '../../core/eviction/eviction-plan.ts';
import type { EvictionReport } from '../../ports/host/eviction-report.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

const TITLES = ['SIGNAL', 'AVAILABLE', 'EVICTS BELOW', 'STATE', 'FIRST TO GO', 'WHY', 'WOULD FREE'];

export async function explainEviction({ client, asked, host }: CliContext): Promise<number> {
  const { output, noHeaders } = asked.options;
  const report = await client.getJson<EvictionReport>('/eviction');
  if (isDocument(output)) {
    printText(host.stdout, await renderDocument(report, output));
    return 0;
  }
  const rows = report.signals.map(toSignalCells);
  printText(host.stdout, renderTable([...(noHeaders ? [] : [TITLES]), ...rows]));
  printText(host.stderr, renderConditions(report));
  return 0;
}

export function toSignalCells(plan: SignalPlan): string[] {
  const { signal, kind, available, threshold, isMet, candidates } = plan;
  const [first] = candidates;
  const state = isMet ? 'below' : 'enough';
  return [
    kind === 'soft' ? `${signal} (soft)` : signal,
    renderAmount(signal, available),
    renderAmount(signal, threshold),
    state,
    first === undefined ? '<none>' : `${first.namespace}/${first.name}`,
    first === undefined ? 'no pod may be evicted' : renderWhy(plan, first),
    first?.usage === undefined ? '<unknown>' : renderAmount(signal, first.usage),
  ];
}

function renderWhy({ signal }: SignalPlan, { usage, request, priority }: EvictionCandidate): string {
  if (usage === undefined) return 'has no statistics yet';
  if (signal === 'pid.available') return `priority ${priority}, most processes`;
  const asks = signal.endsWith('inodesFree') ? '' : `, requests ${renderAmount(signal, request)}`;
  return `priority ${priority}, uses ${renderAmount(signal, usage)}${asks}`;
}

function renderAmount(signal: SignalPlan['signal'], amount: number): string {
  const isCount = signal.endsWith('inodesFree') || signal === 'pid.available';
  return isCount ? String(Math.trunc(amount)) : renderSize(Math.max(0, amount));
}

export function renderConditions({ signals, conditions }: EvictionReport): string {
  if (signals.length === 0)
    return 'No threshold is configured: no pod is evicted for the sake of the node.\n';
  return conditions.length === 0
    ? 'The node is under no pressure.\n'
    : `The node reports ${conditions.join(' and ')}.\n`;
}
