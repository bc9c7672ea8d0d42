/** The images of the node, and what a collection at this moment would delete. */
import { html } from '../../../base/text/html.ts';
import { renderSize } from '../../../core/collection/image-collection.ts';
import type { ImageRecord } from '../../../core/collection/image-record.ts';
import type { ImageReport } from '../../../ports/runtime/image-report.ts';
import { renderAge } from './moments.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import type { ViewContext } from './view-context.ts';

const ID_LENGTH = 12;

export function renderImages(
  report: ImageReport | { readonly problem: string },
  context: ViewContext,
): Section {
  const { images: words } = context.text;
  if ('problem' in report)
    return toSection('images', words.title, html`<p>${words.failed} ${report.problem}</p>`);
  const columns: readonly Column[] = [
    { title: words.image },
    { title: words.id, kind: 'wide' },
    { title: words.size, kind: 'number' },
    { title: words.lastUsed, kind: 'wide number' },
    { title: words.state },
  ];
  const rows = report.images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || (a.id < b.id ? -1 : 1))
    .map((image) => html`<tr>${renderCells(columns, toCells(image, report, context))}</tr>`);
  const table = renderHtmlTable(words.title, columns, rows);
  return toSection('images', words.title, html`<p>${renderPlan(report, context)}</p>${table}`);
}

function toCells(image: ImageRecord, { wouldRemove }: ImageReport, context: ViewContext) {
  const { images: words } = context.text;
  const { id, repoTags, repoDigests, sizeBytes, lastUsedMs, inUse, pinned } = image;
  const goes = wouldRemove.includes(id);
  const states = [
    ...(inUse ? [words.inUse] : []),
    ...(pinned ? [words.pinned] : []),
    ...(goes ? [words.wouldGo] : []),
  ];
  const used = lastUsedMs === undefined ? words.never : renderAge(lastUsedMs, context);
  return [
    repoTags[0] ?? repoDigests[0] ?? context.text.layout.none,
    id.replace(/^sha256:/, '').slice(0, ID_LENGTH),
    renderSize(sizeBytes),
    inUse ? words.now : used,
    html`<span class="state ${goes ? 'warn' : 'done'}">${states.join(', ') || words.unused}</span>`,
  ];
}

function renderPlan(
  { images, space, wouldRemove }: ImageReport,
  { text: { images: words } }: ViewContext,
): string {
  const isKnown = space !== undefined && space.kind !== 'invalid-capacity';
  const disk = isKnown ? words.disk(space.usedPercent) : words.diskUnknown;
  const bytes = images
    .filter(({ id }) => wouldRemove.includes(id))
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return `${disk} ${wouldRemove.length === 0 ? words.noPlan : words.plan(wouldRemove.length, renderSize(bytes))}`;
}
