/** The volumes that pods have: names, kinds and who mounts them, never what is in them. */
import { html } from '../../../base/text/html.ts';
import { toVolumeRows } from '../../../core/volume/volume-rows.ts';
import { type Section, toSection } from './section.ts';
import { type Column, renderCells, renderHtmlTable } from './table.ts';
import type { ViewContext } from './view-context.ts';
import type { ViewedPod } from './viewed-pod.ts';

export function renderVolumes(pods: readonly ViewedPod[], context: ViewContext): Section {
  const { volumes: words, pods: shared, layout } = context.text;
  const volumes = toVolumeRows(pods.map(({ pod }) => pod));
  if (volumes.length === 0) return toSection('volumes', words.title, html`<p>${words.empty}</p>`);
  const columns: readonly Column[] = [
    { title: words.pod },
    { title: shared.namespace, kind: 'wide' },
    { title: shared.name },
    { title: words.kind },
    { title: words.usedBy, kind: 'wide' },
  ];
  const rows = volumes.map(({ namespace, pod, name, kind, containers }) => {
    const link = html`<a href="${context.links.to(['pods', namespace, pod])}">${pod}</a>`;
    const cells = renderCells(columns, [link, namespace, name, kind, containers.join(', ') || layout.none]);
    return html`<tr>${cells}</tr>`;
  });
  return toSection('volumes', words.title, renderHtmlTable(words.title, columns, rows));
}
