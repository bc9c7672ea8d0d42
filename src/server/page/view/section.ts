/** A part of a page that is replaced as a whole when it has changed. */
import { type Html, html } from '../../../base/text/html.ts';

export interface Section {
  /** Of the element; ours, never of a pod. */
  readonly id: string;
  readonly content: Html;
}

export function toSection(id: string, title: string, content: Html): Section {
  return { id, content: html`<h2 id="${id}-title">${title}</h2>${content}` };
}

export function renderSection({ id, content }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">${content}</section>\n`;
}
