/** A table with its caption and titles. */
import { type Html, html } from '../../../base/text/html.ts';

export interface Column {
  readonly title: string;
  /** `wide`: left out on a narrow screen; `number`: to the right. */
  readonly kind?: 'wide' | 'number' | 'wide number' | undefined;
}

/** `rows` are `tr` elements; cells have the kinds of their columns as classes. */
export function renderHtmlTable(caption: string, columns: readonly Column[], rows: readonly Html[]): Html {
  const titles = columns.map(({ title, kind }) => html`<th scope="col" class="${kind ?? ''}">${title}</th>`);
  return html`<table><caption>${caption}</caption><thead><tr>${titles}</tr></thead><tbody>${rows}</tbody></table>`;
}

export function renderCells(columns: readonly Column[], cells: readonly (Html | string | number)[]): Html {
  return html`${cells.map((cell, index) => html`<td class="${columns[index]?.kind ?? ''}">${cell}</td>`)}`;
}
