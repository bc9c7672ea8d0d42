/** `images`: what is on the node, what uses it, and what a collection would delete. */
import { renderHumanDuration } from '../../base/text/human-duration.ts';
import { renderSize } from '../../core/collection/image-collection.ts';
import type { ImageRecord } from '../../core/collection/image-record.ts';
import type { ImageReport } from '../../ports/runtime/image-report.ts';
import type { CliContext } from './ask/cli-context.ts';
import { printPainted } from './show/print-painted.ts';
import { printText } from './show/print-text.ts';
import { isDocument, renderDocument } from './show/render-document.ts';
import { renderTable } from './show/render-table.ts';

const TITLES = ['IMAGE', 'ID', 'SIZE', 'LAST USED', 'STATE'];
const ID_LENGTH = 12;

export async function listImages({ client, asked, host }: CliContext): Promise<number> {
  const { options } = asked;
  const report = await client.getJson<ImageReport>('/images');
  const images = chooseImages(report, options);
  if (isDocument(options.output)) {
    printText(host.stdout, await renderDocument({ ...report, images }, options.output));
    return 0;
  }
  const titles = options.noHeaders ? [] : [TITLES];
  const rows = images.map((image) => toImageCells(image, report, host.now()));
  printPainted(host, renderTable([...titles, ...rows]), 'table');
  printText(host.stderr, renderPlan(report));
  return 0;
}

/** A plan in its own order, everything else the largest first. */
export function chooseImages(
  { images, wouldRemove }: ImageReport,
  { unused, plan }: { readonly unused: boolean; readonly plan: boolean },
): ImageRecord[] {
  if (plan) return wouldRemove.flatMap((id) => images.filter((image) => image.id === id));
  return images
    .filter(({ inUse }) => !unused || !inUse)
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || (a.id < b.id ? -1 : 1));
}

export function toImageCells(image: ImageRecord, { wouldRemove }: ImageReport, nowMs: number): string[] {
  const { id, repoTags, repoDigests, sizeBytes, lastUsedMs, inUse, pinned } = image;
  const used = lastUsedMs === undefined ? 'never' : `${renderHumanDuration(nowMs - lastUsedMs)} ago`;
  const states = [
    ...(inUse ? ['in use'] : []),
    ...(pinned ? ['pinned'] : []),
    ...(wouldRemove.includes(id) ? ['would be deleted'] : []),
  ];
  return [
    repoTags[0] ?? repoDigests[0] ?? '<none>',
    id.replace(/^sha256:/, '').slice(0, ID_LENGTH),
    renderSize(sizeBytes),
    inUse ? 'now' : used,
    states.join(', ') || 'unused',
  ];
}

export function renderPlan({ images, space, wouldRemove }: ImageReport): string {
  const bytes = images
    .filter(({ id }) => wouldRemove.includes(id))
    .reduce((sum, one) => sum + one.sizeBytes, 0);
  const disk =
    space === undefined || space.kind === 'invalid-capacity'
      ? 'The disk of images cannot be measured'
      : `The disk of images is ${space.usedPercent} % full`;
  if (wouldRemove.length === 0) return `${disk}; a collection would delete nothing.\n`;
  return `${disk}; a collection would delete ${wouldRemove.length} (${renderSize(bytes)}).\n`;
}
